"""Robs those who are known to be rich: the baseline of De Boers."""

from collections.abc import Sequence
from typing import Any, ClassVar

from bots.de_boers._ledger import expected
from games.cards import Card
from games.de_boers.options import owed
from games.de_boers.steals import CALL, LAYS, OF_DIAMONDS
from harness.bot import Bot, Setup


class Highwayman(Bot):
    """Waits until the mine is empty or someone is rich, then robs whoever is known to have most."""

    games = ("de_boers",)
    ranges: ClassVar = {"worth": (0, 130), "card": (0, 20)}
    weight = 1.5

    def __init__(self, setup: Setup, *, worth: int = 60, card: int = 3) -> None:
        """In tenths of a diamond: what a turn must bring, and what a card laid costs.

        Both only while the mine lasts; then there is nothing to wait or to save up for.
        """
        super().__init__(setup)
        self.worth = worth / 10
        self.card = card / 10
        self.owed = owed(setup.rules)

    def act(self, view: Any, legal: Sequence[Any]) -> Any:
        if view.phase == "call":
            return CALL  # it costs nothing
        holds = expected(view)
        best, card = (self.worth, self.card) if view.mine else (0.0, 0.01)
        choice = legal[0]
        if sum(holds) <= best:
            return choice  # all together haven't got so much
        cards: tuple[Card, ...] = ()
        shares: tuple[int, ...] = ()
        for action in legal[1:]:
            if action.cards != cards:  # the same cards come once for each choice of victims
                cards = action.cards
                combination, number, laid = LAYS[cards]
                shares = self.owed[combination][number]
                price = card * len(cards)
                if laid & OF_DIAMONDS or sum(shares) - price <= best:
                    shares = ()  # somebody may call; or it can't bring enough
            gain = -price
            for victim, most in zip(action.victims, shares, strict=False):
                has = holds[victim]
                gain += most if most < has else has
            if gain > best:
                best, choice = gain, action
        return choice
