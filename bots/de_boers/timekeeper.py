"""De Boers: knows who will have the last word, and sees to it that it is itself."""

from collections.abc import Sequence
from typing import Any

from bots.de_boers._ledger import Prospect, expected, prospects
from games.cards import Card
from games.de_boers.options import owed
from games.de_boers.steals import CALL, LAYS
from games.de_boers.view import View
from harness.bot import Bot, Setup


class Timekeeper(Bot):
    """Draws, but steals with cards that it can spare when that makes the last turn its own."""

    games = ("de_boers",)
    weight = 1.5

    def __init__(self, setup: Setup, *, reserve: int = 8) -> None:
        """`reserve`: what the cards that are left must be able to take in the last turn."""
        super().__init__(setup)
        self.owed = owed(setup.rules)
        self.reserve = reserve

    def act(self, view: View, legal: Sequence[Any]) -> Any:
        if view.phase == "call":
            return CALL  # it costs nothing
        if not view.mine:
            return self.finish(view, legal)
        # With as many cards left as players the last one falls to the seat before this one, and a
        # turn in which it doesn't draw moves that on to itself. With one card less it takes two
        # such turns, of which others mostly add one. To begin earlier, or to go on, costs more.
        players = len(view.sizes)
        if view.mine > 1 and view.mine in (players - 1, players):
            return self.delay(view, legal)
        return legal[0]

    def delay(self, view: View, legal: Sequence[Any]) -> Any:
        """Passes the turn on with two cards, if the others can still take as much as it needs."""
        found: dict[tuple[Card, ...], Prospect] = {}
        for prospect in prospects(legal, self.owed, expected(view)):
            cards = prospect.steal.cards
            if cards not in found or prospect.gain > found[cards].gain:
                found[cards] = prospect
        reaches = [(LAYS[cards].mask, self.reach(cards)) for cards in found]
        needed = min(self.reserve, max([reach for _, reach in reaches], default=0))
        best, most = legal[0], (needed, 0.0)
        for cards, prospect in found.items():
            if len(cards) == 2:
                laid = LAYS[cards].mask
                left = max([reach for other, reach in reaches if not other & laid], default=0)
                if (left, prospect.gain) > most:
                    best, most = prospect.steal, (left, prospect.gain)
        return best

    def reach(self, cards: tuple[Card, ...]) -> int:
        """The most that these cards can take."""
        combination, number, _ = LAYS[cards]
        return sum(self.owed[combination][number])

    def finish(self, view: View, legal: Sequence[Any]) -> Any:
        """The steal that brings most; with the very last turn, that leaves it furthest ahead."""
        holds = expected(view)
        last = view.turns_left == 1
        best, most = legal[0], -max(holds) if last else 0.0
        for steal, gain, left in prospects(legal, self.owed, holds):
            worth = gain - left if last else gain
            if worth > most:
                best, most = steal, worth
        return best
