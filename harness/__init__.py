"""The harness: finds games and bots, plays matches, runs tournaments, keeps results."""
