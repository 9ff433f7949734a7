"""Games: one folder each, with the rules in one file that reads like the rulebook."""
