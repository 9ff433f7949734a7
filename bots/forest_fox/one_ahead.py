from collections.abc import Sequence
from typing import Any
from harness.bot import Bot
class OneAhead(Bot):
    """x."""
    def act(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]
