"""De Boers: the rulebook's first reading, in which stealing is what one does when one can."""

from collections.abc import Sequence
from typing import Any

from games.de_boers.options import owed
from games.de_boers.steals import CALL, LAYS, OF_DIAMONDS, Steal
from games.de_boers.view import View
from harness.bot import Bot, Setup


class Opportunist(Bot):
    """Steals whenever it can, as much as its cards allow, from whoever holds the most cards."""

    games = ("de_boers",)
    weight = 1

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.owed = owed(setup.rules)

    def act(self, view: View, legal: Sequence[Any]) -> Any:
        if view.phase == "call":
            return CALL  # it costs nothing
        steals = [action for action in legal if type(action) is Steal]
        return max(
            [steal for steal in steals if not LAYS[steal.cards].mask & OF_DIAMONDS],
            key=lambda steal: (self.owes(steal), sum([view.sizes[seat] for seat in steal.victims])),
            default=legal[0],
        )

    def owes(self, steal: Steal) -> int:
        """What its victims owe together, if they have it."""
        combination, number, _ = LAYS[steal.cards]
        return sum(self.owed[combination][number])
