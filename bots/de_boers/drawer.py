"""De Boers: a mine that isn't empty is never left for a theft."""

from collections.abc import Sequence
from typing import Any

from bots.de_boers._ledger import expected, prospects
from games.de_boers.options import owed
from games.de_boers.steals import CALL
from games.de_boers.view import View
from harness.bot import Bot, Setup


class Drawer(Bot):
    """Draws as long as there is anything to draw, and steals only in the last turns."""

    games = ("de_boers",)
    weight = 0.7

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.owed = owed(setup.rules)

    def act(self, view: View, legal: Sequence[Any]) -> Any:
        if view.phase == "call":
            return CALL  # it costs nothing
        if view.mine:
            return legal[0]
        found = prospects(legal, self.owed, expected(view))
        best = max(
            found, key=lambda prospect: (prospect.gain, -len(prospect.steal.cards)), default=None
        )
        return best.steal if best else legal[0]
