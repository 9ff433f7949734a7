"""Restrictions of a table: which seat may not do what, and what each bot is told of that."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from games.game import Game, Rules
from games.restrictions import may_be_forbidden, restriction

if TYPE_CHECKING:  # a host, too, imports this, and finds no bots
    from harness.entrants import Entrant

WITHHELD = ("events",)
"""What a variant may withhold."""


class Forbid(NamedTuple):
    """Something that everybody, or whoever is meant, may not do wherever something else is legal.

    With both a seat and a bot, that bot in that seat.
    """

    what: str
    """An action's first word, or the name of a tactic that is known before its outcome."""
    seat: int | None = None
    bot: str | None = None
    """The bot's name, with or without its parameters."""


class Restrictions(NamedTuple):
    """What a variant takes from the seats of its matches."""

    forbid: tuple[Forbid, ...] = ()
    withhold: str = ""
    """`events`, or nothing."""

    def __bool__(self) -> bool:
        return bool(self.forbid or self.withhold)

    def rules(
        self, game: Game, rules: Rules, players: int, names: Sequence[Collection[str]]
    ) -> Rules:
        """The rules of a match in which the bots with these names sit, by seat."""
        if not self:
            return rules
        forbidden = [
            [
                forbid.what
                for forbid in self.forbid
                if forbid.seat in (None, seat) and (forbid.bot is None or forbid.bot in names[seat])
            ]
            for seat in range(players)
        ]
        return rules.restricted(restriction(game, forbidden, self.withhold))

    def told(
        self, game: Game, rules: Rules, players: int, seat: int, names: Collection[str]
    ) -> Rules:
        """The rules as the bot with these names is told them in this seat.

        A bot isn't told whom it plays, and so not what is forbidden to other bots as such.
        """
        known = [names if other == seat else () for other in range(players)]
        return self.rules(game, rules, players, known)

    def at(self, entrants: Sequence["Entrant"]) -> "Restrictions":
        """Without what is forbidden to bots that aren't at this table."""
        here = {name for entrant in entrants for name in names_of(entrant)}
        kept = [forbid for forbid in self.forbid if forbid.bot is None or forbid.bot in here]
        order = sorted(
            set(kept), key=lambda f: (f.what, -1 if f.seat is None else f.seat, f.bot or "")
        )
        return Restrictions(tuple(order), self.withhold)

    @property
    def by_bot(self) -> bool:
        """Whether anything is forbidden to a bot rather than to a seat."""
        return any(forbid.bot is not None for forbid in self.forbid)


UNRESTRICTED = Restrictions()


def names_of(entrant: "Entrant") -> tuple[str, str]:
    """The names by which an entrant may be meant."""
    return entrant.name, entrant.bot.name


def read_forbid(
    given: Sequence[Any], game: Game, players: int, entrants: Sequence["Entrant"]
) -> tuple[Forbid, ...]:
    """What a config's `forbid` means: a list of names, or of tables `{ what, seat, bot }`.

    ValueError, in one line, for anything else, and for what this game, number of seats or set of
    bots doesn't have.
    """
    found = []
    for each in given:
        values = {"what": each} if isinstance(each, str) else each
        if not isinstance(values, Mapping) or not {"what"} <= set(values) <= {
            "what",
            "seat",
            "bot",
        }:
            raise ValueError(f"forbid: give a name, or a table of what, seat and bot, not {each!r}")
        forbid = Forbid(**values)
        allowed = may_be_forbidden(game)
        if forbid.what not in allowed:
            raise ValueError(
                f"forbid: {game.name} has no {forbid.what!r} to forbid;"
                f" there are: {', '.join(allowed)}"
            )
        seat = forbid.seat
        if seat is not None and not (type(seat) is int and 0 <= seat < players):
            raise ValueError(f"forbid: seat must be 0 to {players - 1}, not {seat!r}")
        names = sorted({name for entrant in entrants for name in names_of(entrant)})
        if forbid.bot is not None and forbid.bot not in names:
            raise ValueError(
                f"forbid: there is no bot {forbid.bot!r} here; there are: {', '.join(names)}"
            )
        found.append(forbid)
    return tuple(found)
