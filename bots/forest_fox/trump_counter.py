"""Forest Fox: counts trumps, under each decree that its plays would leave, and keeps to a plan."""

from collections.abc import Sequence

from games.forest_fox.rules import HANDS, RANK, SUIT, TRIUMPH, ForestFox, Play, View, imagine
from harness.bot import Bot

TRUMP = 5
"""What being of the decree's suit adds to a card's rank: more than any other suit has."""


class TrumpCounter(Bot):
    """Counts trumps, and steers towards Humble or Victorious, whichever they promise.

    A Fox is played when the decree that it makes brings the nearer of the two closer.
    """

    games = ("forest_fox",)
    weight = 6

    def act(self, view: View, legal: Sequence[Play]) -> Play:
        state = imagine(view, self.rng, self.setup.rules)
        aim = self.aim(state)
        misses = [abs(self.expected(state, play) - aim) for play in legal]
        return legal[misses.index(min(misses))]

    def aim(self, state: ForestFox) -> float:
        """The tricks to end with: the middle of the nearer class that wins."""
        rules = self.setup.rules
        humble: float = rules.humble_max / 2
        victorious: float = (4 + rules.greedy_min - 1) / 2
        promised = self.promised(state)
        if state.tricks[self.setup.seat] > rules.humble_max:
            return victorious
        return humble if promised - humble < victorious - promised else victorious

    def expected(self, state: ForestFox, play: Play) -> float:
        """The tricks promised after this play; with any answer, if it is a lead."""
        after = state.copy()
        after.apply(play)
        if after.table is None:
            return self.promised(after)
        answers = after.legal()
        return sum(self.expected(after, answer) for answer in answers) / len(answers)

    def promised(self, state: ForestFox) -> float:
        """The tricks taken, and of those left the share that this hand has of all strength."""
        seat = self.setup.seat
        decree = SUIT[state.decree]
        mine, theirs = (strength(state.hands[s], decree) for s in (seat, 1 - seat))
        left = len(HANDS[state.hands[seat]])
        return state.tricks[seat] + left * mine / max(1, mine + theirs)


def strength(hand: int, decree: int) -> int:
    """Ranks, and something for each trump; a Triumph nearly always is one."""
    return sum(
        RANK[card] + TRUMP * (SUIT[card] == decree or RANK[card] == TRIUMPH) for card in HANDS[hand]
    )
