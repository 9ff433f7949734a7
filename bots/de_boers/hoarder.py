"""De Boers: saves up for one great raid."""

from collections.abc import Sequence
from typing import Any

from bots.de_boers._ledger import expected, prospects
from games.de_boers.options import owed
from games.de_boers.steals import CALL
from games.de_boers.view import View
from harness.bot import Bot, Setup


class Hoarder(Bot):
    """Saves faces of one rank for a raid on several players at once, when enough is to be had."""

    games = ("de_boers",)
    seats = (3, 4, 5, 6, 7, 8)
    weight = 1.5

    def __init__(self, setup: Setup, *, raid: int = 8) -> None:
        """`raid`: more diamonds than this it must promise while the mine lasts."""
        super().__init__(setup)
        self.owed = owed(setup.rules)
        self.raid = raid

    def act(self, view: View, legal: Sequence[Any]) -> Any:
        if view.phase == "call":
            return CALL  # it costs nothing
        holds = expected(view)
        choices, best, most = legal, legal[0], 0.0
        if view.mine:
            most = self.raid
            if sum(holds) <= most:
                return best
            choices = [steal for steal in legal[1:] if len(steal.victims) > 1]
        for steal, gain, _ in prospects(choices, self.owed, holds):
            if gain > most:
                best, most = steal, gain
        return best
