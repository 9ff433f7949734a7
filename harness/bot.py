"""All that a bot author reads: a bot is one file with one subclass of `Bot`.

    from harness.bot import Bot

    class Miser(Bot):
        \"\"\"Always plays its lowest card.\"\"\"

        games = ("forest_fox",)

        def act(self, view, legal):
            return legal[0]

That is a whole bot. Save it as `miser.py` and let it play:

    fairdeal match forest_fox miser.py random_legal --deals 100

**What is played.** One instance of the class plays one match in one seat; it is made fresh for each
match, and may keep what it likes on `self` until that match ends. It isn't told whom it plays.

**`act(view, legal)`** is asked whenever the seat has more than one legal action. `legal` is a tuple
of actions; the answer is one of them (or an equal one). `str(action)` is how records write it.
`view` is a NamedTuple of plain data: it begins with `seat` and `hand`, and every game's page lists
the rest. A card is a small int; the game's rules file has tables for it (`PACK.faces[card]` is its
face, such as `3K`, `RANK[card]` and `SUIT[card]` what they say).

**`observe(event)`**, if the class has it, gets everything that the seat has seen since it was last
asked, in order, just before each `act`.

**Faults.** An answer that isn't legal (`illegal`), an exception (`crash`), a file that can't be
imported or a bot that can't be made (`load`), too much time or memory (`timeout`, `memory`) each
end that match, which the bot loses; `bots/README.md` has the whole policy, and what a bot that is a
folder may do beside.

What a class says of itself must be literals, since a submitted file is only parsed, never
imported, until it plays.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple

__all__ = ["Bot", "Setup"]


class Setup(NamedTuple):
    """What a bot is told when it is made."""

    game: str
    rules: Any
    """The game's `Rules`, every option with its value."""
    players: int
    seat: int
    seed: int
    """The seed of the bot's own source, a hash of the deal's seed, from which the cards can't be
    found; but whoever knows the run's seed can compute both, so publish that afterwards only."""

    @property
    def forbidden(self) -> Sequence[str]:
        """What this seat may not do here wherever something else is legal: first words of actions,
        and names of tactics. `legal` leaves them out, and so do states that the game's `imagine`
        makes with these `rules`. `rules.restriction.forbidden` has it for all seats, but for what
        is forbidden to other bots as such.
        """
        by_seat = self.rules.restriction.forbidden
        return by_seat[self.seat] if by_seat else ()

    @property
    def withheld(self) -> str:
        """`"events"` where nobody is told any, so that `observe` is never called; else `""`."""
        return str(self.rules.restriction.withheld)


class Bot:
    """A player of one seat in one match. The first sentence here is the one that reports print."""

    games: ClassVar[Sequence[str] | str] = "*"
    """The games it plays, or `"*"` for all."""
    seats: ClassVar[Sequence[int] | None] = None
    """The numbers of seats it plays, if not all that the game allows."""
    needs: ClassVar[Mapping[str, Sequence[Any]]] = {}
    """Rules values it is made for: `{"leader": ["trick_winner"]}`."""
    ranges: ClassVar[Mapping[str, Sequence[Any]]] = {}
    """Values of parameters to try when it is tuned to a variant of the rules: a tuple (low, high),
    or a list of the values."""
    weight: ClassVar[float] = 1
    """Rough cost of a decision, 1 for 10 microseconds; decides how large chunks are."""

    reproducible: ClassVar[bool] = True
    """False for a bot whose answers depend on clocks, on how many it is asked at once, or on the
    order of sets: it is rated, but neither looked at twice after a fault nor verified."""

    def __init__(self, setup: Setup) -> None:
        """Parameters, if a bot has any, are keyword-only and have defaults (literals)."""
        self.setup = setup
        self._rng: Random | None = None

    @property
    def rng(self) -> Random:
        """The bot's own source of chance, seeded anew for each match and seat."""
        if self._rng is None:
            self._rng = Random(self.setup.seed)
        return self._rng

    def act(self, view: Any, legal: Sequence[Any]) -> Any:
        """The choice: one of `legal`."""
        raise NotImplementedError(f"{type(self).__name__} has no act(view, legal)")
