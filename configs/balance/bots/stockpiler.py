"""De Boers: lays diamonds in its last turns where that promises more than it risks."""

from collections.abc import Sequence
from typing import Any, ClassVar

from bots.de_boers._ledger import expected
from games.de_boers.options import owed
from games.de_boers.steals import CALL, DIAMOND, LAYS, SUIT, Steal
from games.de_boers.view import View
from harness.bot import Bot, Setup


class Stockpiler(Bot):
    """Draws until the mine is empty, then steals, with diamonds too where the odds are good."""

    games = ("de_boers",)
    ranges: ClassVar = {"safe": (0.0, 1.0), "heed": (0.0, 1.0)}

    def __init__(self, setup: Setup, *, safe: float = 0.3, heed: float = 1.0) -> None:
        """`safe`: what it is worth that a laid diamond can't be stolen, in diamonds; `heed`: how
        much of the risk of a call it sees, so that with 0 it lays whatever gains if nobody calls.
        """
        super().__init__(setup)
        rules = setup.rules
        self.owed = owed(rules)
        self.kept = safe if rules.stockpiled_score else -1.0
        self.risk: float = heed * (1 - (1 - rules.notice_percent / 100) ** (setup.players - 1))

    def act(self, view: View, legal: Sequence[Any]) -> Any:
        """Draws, calls, or takes what promises most."""
        if view.phase == "call":
            return CALL  # it costs nothing
        if view.mine:
            return legal[0]
        holds = expected(view)
        mine = sum(SUIT[card] == DIAMOND for card in view.hand)
        best, most = legal[0], 0.0
        for action in legal:
            if type(action) is Steal:
                value = self.worth(action, holds, mine)
                if value > most:
                    best, most = action, value
        return best

    def worth(self, steal: Steal, holds: Sequence[float], mine: int) -> float:
        """Diamonds that it brings on average, where everybody who notices calls."""
        combination, number, _ = LAYS[steal.cards]
        debts = self.owed[combination][number]
        gain: float = sum(
            min(most, holds[victim]) for victim, most in zip(steal.victims, debts, strict=True)
        )
        laid = sum(SUIT[card] == DIAMOND for card in steal.cards)
        if not laid:
            return gain
        return (1 - self.risk) * (gain + self.kept * laid) - self.risk * mine
