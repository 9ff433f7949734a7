"""Forest Fox solved: what any position, and each move in it, is worth if both play perfectly.

With both hands known the game is one of perfect information, and what matters of a match is only
how many tricks seat 0 ends with. So a question is a set of such numbers, *good*, and the answer
whether seat 0 can force one of them. "At least this many points" is such a set; the published rules
have only won and lost, and so one question.
"""

from functools import cache
from typing import NamedTuple

from games.forest_fox.outcomes import may_answer, played, replies
from games.forest_fox.rules import HANDS, ForestFox, Play, Rules, judged

TRICKS = 7

FALLING = [cards[::-1] for cards in HANDS]
"""From a mask to its cards, descending: tried in this order, high cards settle more, and a third
fewer positions are met than in ascending order."""


class Solved(NamedTuple):
    """A position's value, in points of the seat to act."""

    points: float
    moves: dict[Play, float]
    """By legal move, in the order of `legal()`."""


class Solver:
    """Solves positions under these rules, and remembers what it has met on the way.

    A whole deal leaves some thousands of positions behind; make a new one for another deal.
    """

    def __init__(self, rules: Rules) -> None:
        asked = {good: Question(rules, good) for good in levels(rules)}
        self.half, self.whole = (asked[good] for good in levels(rules))

    def solve(self, state: ForestFox) -> Solved:
        """The value of the position and of each move; ValueError at the end of a match."""
        if state.to_act is None:
            raise ValueError("the match is over: there is nothing to choose")
        moves = {}
        for play in state.legal():
            after = state.copy()
            after.apply(play)
            moves[play] = self.points(after, state.to_act)
        return Solved(max(moves.values()), moves)

    def points(self, state: ForestFox, seat: int) -> float:
        """The points that this seat gets from here if both play perfectly."""
        if state.to_act is None:
            return state.result().points[seat]
        first = 0.5 * self.half.forced(state) + 0.5 * self.whole.forced(state)
        return first if seat == 0 else 1 - first


@cache
def levels(rules: Rules) -> tuple[int, ...]:
    """The good numbers of tricks (masks) for half a point and for a whole one, to seat 0.

    They are the same where nothing is ever shared.
    """
    points = [
        judged(mine, TRICKS - mine, rules.humble_max, rules.greedy_min).points[0]
        for mine in range(TRICKS + 1)
    ]
    return tuple(
        sum(1 << mine for mine, gained in enumerate(points) if gained >= level)
        for level in (0.5, 1.0)
    )


class Question:
    """Whether seat 0 can force a good number of tricks, from positions under these rules.

    Hands are masks; `tricks` are those of seat 0.
    """

    def __init__(self, rules: Rules, good: int) -> None:
        self.first_leads = rules.leader == "first_player"
        self.played = played(rules.fox)
        self.may_answer = may_answer(rules.monarch)
        self.replies = replies(rules.fox, rules.triumph)
        self.settled = settled(good)
        self.known: dict[int, bool] = {}
        """By position, where a trick is to be led."""

    def forced(self, state: ForestFox) -> bool:
        """The answer for any position."""
        first, second = state.hands
        tricks = state.tricks[0]
        if state.table is None:
            return self.lead(first, second, state.decree, state.leader, tricks)
        return self.answer(first, second, state.decree, state.leader, tricks, state.table)

    def lead(self, first: int, second: int, decree: int, leader: int, tricks: int) -> bool:
        """The answer where a trick is to be led."""
        settled = self.settled[tricks][first.bit_count()]
        if settled is not None:
            return settled
        key = (((first << 15 | second) << 4 | decree) << 3 | tricks) << 1 | leader
        known = self.known.get(key)
        if known is not None:
            return known
        played = self.played[decree]
        found = False
        if leader == 0:
            for card in FALLING[first]:
                table, after = played[card]
                if self.answer(first ^ 1 << card, second, after, 0, tricks, table):
                    found = True
                    break
        else:
            found = True
            for card in FALLING[second]:
                table, after = played[card]
                if not self.answer(first, second ^ 1 << card, after, 1, tricks, table):
                    found = False
                    break
        self.known[key] = found
        return found

    def answer(
        self, first: int, second: int, decree: int, leader: int, tricks: int, table: int
    ) -> bool:
        """The answer where the leader's card, as it counts, lies on the table."""
        suit, allowed = self.may_answer[table]
        replies = self.replies[decree][table]
        if leader == 0:
            for card in FALLING[allowed[second & suit] or second]:
                taken, after = replies[card]
                next_leader = 0 if self.first_leads else taken
                hand = second ^ 1 << card
                if not self.lead(first, hand, after, next_leader, tricks + 1 - taken):
                    return False
            return True
        for card in FALLING[allowed[first & suit] or first]:
            taken, after = replies[card]
            next_leader = 1 - taken
            hand = first ^ 1 << card
            if self.lead(hand, second, after, next_leader, tricks + taken):
                return True
        return False


@cache
def settled(good: int) -> list[list[bool | None]]:
    """By the tricks that seat 0 has and those still to be played: the answer, if it is certain."""
    found: list[list[bool | None]] = []
    for tricks in range(TRICKS + 1):
        row: list[bool | None] = []
        for left in range(TRICKS + 1):
            within = ((1 << left + 1) - 1) << tricks
            row.append(True if within & ~good == 0 else False if within & good == 0 else None)
        found.append(row)
    return found
