"""Forest Fox: decides from its hand whether to be Humble, and ducks or fights accordingly."""

from collections.abc import Sequence

from games.forest_fox.rules import FOX, RANK, SUIT, TAKES, Play, View
from harness.bot import Bot


class Humble(Bot):
    """Ducks every trick with a weak hand, and fights for four or five with a strong one."""

    games = ("forest_fox",)
    weight = 0.15

    def act(self, view: View, legal: Sequence[Play]) -> Play:
        mine = view.tricks[view.seat]
        rules = self.setup.rules
        if mine <= rules.humble_max:
            duck = self.weak(view)
        else:
            duck = mine >= 4 and rules.greedy_min < 8
        if view.table is None:
            return min(legal, key=self.height) if duck else max(legal, key=self.height)
        taking = [play for play in legal if self.takes(view, play)]
        losing = [play for play in legal if play not in taking]
        if duck:
            return max(losing or taking, key=self.height)
        return min(taking or losing, key=self.height)

    def weak(self, view: View) -> bool:
        """Whether the hand will hardly take more than one trick, as far as ranks tell."""
        decree = SUIT[view.decree]
        heights = [RANK[card] + 2 * (SUIT[card] == decree) for card in view.hand]
        return sum(heights) < 3.4 * len(heights)

    def height(self, play: Play) -> tuple[int, int]:
        """How good a card is at taking a trick; the card itself breaks ties."""
        return RANK[play.card], play.card

    def takes(self, view: View, play: Play) -> bool:
        """Whether this answer takes the trick that lies on the table."""
        assert view.table is not None
        answer, decree = play.card, view.decree
        if RANK[answer] == FOX and self.setup.rules.fox:
            answer, decree = decree, answer
        return TAKES[self.setup.rules.triumph][SUIT[decree]][view.table][answer]
