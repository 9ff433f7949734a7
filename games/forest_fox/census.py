"""How many of the 51,480 deals of Forest Fox does seat 0 win? A table by the decree's rank.

Run it: `python -m games.forest_fox.census`.
"""

import os
from collections import Counter
from itertools import combinations
from multiprocessing import get_context

from games.cards import Card, mask
from games.forest_fox.rules import ALL, PACK, RANK, Rules
from games.forest_fox.solver import Question, levels

LEADERS = ("first_player", "trick_winner")


def wins(decree: Card, leader: str) -> int:
    """Of the 3,432 splits of the other cards, those that seat 0 wins if both play perfectly."""
    rules = Rules(leader=leader)
    _, good = levels(rules)
    rest = ALL ^ 1 << decree
    won = 0
    for cards in combinations([card for card in PACK.cards if card != decree], 7):
        first = mask(cards)
        won += Question(rules, good).lead(first, rest ^ first, decree, 0, 0)
    return won


def census(processes: int) -> dict[str, Counter[int]]:
    """By leader, the deals that seat 0 wins by the decree's rank, summed over the suits."""
    jobs = [(decree, leader) for leader in LEADERS for decree in PACK.cards]
    found: dict[str, Counter[int]] = {leader: Counter() for leader in LEADERS}
    with get_context("spawn").Pool(processes) as pool:
        counted = pool.starmap(wins, jobs, chunksize=1)
    for (decree, leader), won in zip(jobs, counted, strict=True):
        found[leader][RANK[decree]] += won
    return found


def main() -> None:
    """Prints the table in Markdown."""
    found = census(len(os.sched_getaffinity(0)))
    print("| decree | deals |", " | ".join(f'`leader = "{leader}"`' for leader in LEADERS), "|")
    print("| --- | ---: | ---: | ---: |")
    lines = [
        (str(rank), 3 * 3432, [found[leader][rank] for leader in LEADERS]) for rank in range(1, 6)
    ]
    lines.append(("all", 15 * 3432, [found[leader].total() for leader in LEADERS]))
    for name, deals, won in lines:
        print(f"| {name} | {deals:,} |", " | ".join(f"{n:,} ({n / deals:.2%})" for n in won), "|")


if __name__ == "__main__":
    main()
