"""Forest Fox: the naive reading of the rulebook, a game about taking tricks."""

from collections.abc import Sequence

from games.forest_fox.rules import RANK, SUIT, TAKES, Play, View
from harness.bot import Bot


class Grabber(Bot):
    """Takes every trick it can, and never thinks of being Greedy."""

    games = ("forest_fox",)
    weight = 0.1

    def act(self, view: View, legal: Sequence[Play]) -> Play:
        if view.table is None:
            return max(legal, key=rank)
        takes = TAKES[self.setup.rules.triumph][SUIT[view.decree]][view.table]
        taking = [play for play in legal if takes[play.card]]
        return min(taking or legal, key=rank)


def rank(play: Play) -> int:
    """What stands on the card; of equals, the first suit's is played."""
    return RANK[play.card]
