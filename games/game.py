"""The contract of a game: what a rules file provides, and what may be left to it here."""

import copy
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple, Self

from games.cards import Card, Pack
from games.chance import Chance


def option(default: Any, *allowed: Any) -> Any:
    """A field of `Rules`: its published value, and what it may be, a range or the values."""
    return dataclasses.field(default=default, metadata={"allowed": allowed})


class Restriction(NamedTuple):
    """What a variant takes from the seats, beside its options (games/restrictions.py)."""

    forbidden: tuple[tuple[str, ...], ...] = ()
    """By seat, what it may not do wherever something else is legal: first words of actions, and
    names of tactics. Empty where nothing is forbidden to anybody."""
    tactics: tuple[tuple[int, ...], ...] = ()
    """By seat, the indices of those of them that are tactics."""
    withheld: str = ""
    """`events` where no seat hears any; else `""`."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rules:
    """What may vary in a game. Subclasses are frozen and keyword-only; every field has an `option`.

    Raises ValueError, naming game, option, what is allowed and what was given.
    """

    game: ClassVar[str]
    restriction: ClassVar[Restriction] = Restriction()
    """What is taken from the seats; of the rules that `restricted` gives."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not allows(field, value):
                raise ValueError(
                    f"{self.game}: {field.name} must be {allowed(field)}, not {spell(value)}"
                )

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> Self:
        """The rules with these options; ValueError also for one that is unknown."""
        known = [field.name for field in dataclasses.fields(cls)]
        for name in options:
            if name not in known:
                raise ValueError(
                    f"{cls.game}: there is no rules option {name!r}; there are: {', '.join(known)}"
                )
        return cls(**options)

    def changed(self) -> dict[str, Any]:
        """The options that differ from the published rules."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }

    def restricted(self, restriction: Restriction) -> Self:
        """These options, with this taken from the seats."""
        twin = copy.copy(self)
        object.__setattr__(twin, "restriction", restriction)
        return twin

    def check_players(self, players: int) -> None:
        """ValueError where these rules can't be played by so many; most games need no check."""


def allows(field: "dataclasses.Field[Any]", value: Any) -> bool:
    """Whether a rules option may have this value, which must be of the right type too."""
    if type(value) is not type(field.default) and not _mixed(field):
        return False
    return any(
        type(value) is int and value in choice
        if isinstance(choice, range)
        else type(value) is type(choice) and value == choice
        for choice in field.metadata["allowed"]
    )


def allowed(field: "dataclasses.Field[Any]") -> str:
    """What a rules option may be, in words: `1 to 3`, or `"all" or "target"`."""
    words = [
        f"{choice.start} to {choice.stop - 1}" if isinstance(choice, range) else spell(choice)
        for choice in field.metadata["allowed"]
    ]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def spell(value: Any) -> str:
    """A value as a config writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _mixed(field: "dataclasses.Field[Any]") -> bool:
    kinds = {type(choice) for choice in field.metadata["allowed"]}
    return len(kinds) > 1


class Action:
    """What a seat can choose: a small frozen value. `str()` is its notation in records.

    Subclasses are frozen dataclasses with slots, made once and reused: `legal()` gives the same
    objects again, so that comparing identities is nearly always enough.
    """

    __slots__ = ()


class Tactic(NamedTuple):
    """A kind of behaviour that the engine counts, one column in the results."""

    name: str
    meaning: str
    among: tuple[str, ...] = ()
    """Where it is a choice: all the tactics of which one is done whenever this could be. Rows then
    have a column `NAME_chances`, their sum, which costs nothing in play."""
    known: bool = False
    """Whether it follows from an action and what its seat sees, and is counted at once: such a
    tactic can be forbidden."""


def chances(tactics: Sequence[Tactic]) -> dict[str, list[int]]:
    """The columns `NAME_chances`, each with the indices of the tactics that it sums."""
    names = [tactic.name for tactic in tactics]
    return {
        f"{tactic.name}_chances": [names.index(name) for name in tactic.among]
        for tactic in tactics
        if tactic.among
    }


class Result(NamedTuple):
    """How a match ended, an entry a seat: the record's `result`."""

    scores: tuple[int, ...]
    places: tuple[int, ...]
    points: tuple[float, ...]
    end: str


def places(keys: Sequence[Any]) -> tuple[int, ...]:
    """Places from 1 by falling key: equal for equals, skipping after a tie (1, 1, 3)."""
    order = sorted(keys, reverse=True)
    return tuple([1 + order.index(key) for key in keys])


def shared(places: Sequence[int]) -> tuple[float, ...]:
    """One point a match, shared equally by the seats in first place."""
    share = 1 / places.count(1)
    return tuple([share if place == 1 else 0.0 for place in places])


class State(ABC):
    """One match as it goes: mutable, changed by `apply` alone.

    `listeners` are the seats that want events; `heard[seat]` then gathers them until the harness
    takes them, and is None for the other seats. `counts[seat]` has the tactics.
    """

    __slots__ = ("chance", "counts", "heard", "players", "rules", "to_act")

    rules: Any
    players: int
    chance: Chance
    to_act: int | None
    counts: list[list[int]]
    heard: list[list[Any] | None] | None

    @abstractmethod
    def __init__(
        self, rules: Any, players: int, chance: Chance, listeners: Sequence[int] = ()
    ) -> None:
        """Deals."""

    @abstractmethod
    def legal(self) -> tuple[Action, ...]:
        """What the seat to act may do, in the order that the game's page gives."""

    @abstractmethod
    def apply(self, action: Any) -> None:
        """Does it; the action must be one of `legal()`, which isn't checked again."""

    @abstractmethod
    def view(self, seat: int) -> Any:
        """All that this seat may look at: a NamedTuple of plain data, made afresh."""

    @property
    @abstractmethod
    def turns(self) -> int:
        """How many turns have been taken, in the game's own sense."""

    @abstractmethod
    def scores(self) -> tuple[int, ...]:
        """As they stand, in the game's own units."""

    @abstractmethod
    def result(self) -> Result:
        """Once `to_act` is None."""

    @abstractmethod
    def copy(self) -> Self:
        """An independent twin that nobody listens to."""

    @abstractmethod
    def cards(self) -> dict[str, tuple[Card, ...]]:
        """Every zone and what is in it, for tests: the pack, whole, at any time.

        A zone is named by a word, and where each seat has one by its number too: `hand 0`. Zones
        with an order (a deck, a pile) are in it, from the top; others ascend.
        """

    @abstractmethod
    def hidden(self, seat: int) -> dict[str, tuple[Card, ...]]:
        """By zone, the cards of which this seat can't tell which they are, for tests.

        Of a hand that it can't see, that is all but what it knows to be there.
        """

    @abstractmethod
    def exchange(self, zone: str, card: Card, other_zone: str, other: Card) -> None:
        """Lets two cards change places, without anybody noticing, for tests."""

    def standing(self, seat: int) -> int | None:
        """A measure of who leads, more is better; None in a game that has no such thing."""
        return None

    def out(self) -> tuple[int | None, ...]:
        """Who is out of the game: for each seat None, or a number that is higher the better."""
        return (None,) * self.players

    def tell(self, event: Any) -> None:
        """Everybody sees this event."""
        if self.heard is not None:
            for heard in self.heard:
                if heard is not None:
                    heard.append(event)


def no_counts(tactics: Sequence[Tactic], players: int) -> list[list[int]]:
    """What `State.counts` is at first."""
    return [[0] * len(tactics) for _ in range(players)]


def listening(players: int, listeners: Sequence[int]) -> list[list[Any] | None] | None:
    """What `State.heard` is at first."""
    if not listeners:
        return None
    return [[] if seat in listeners else None for seat in range(players)]


def _no_roles(players: int) -> tuple[str, ...]:
    return ("",) * players


def _no_teams(players: int) -> tuple[int, ...]:
    return tuple(range(players))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Game:
    """A game's name and parts; each folder's `rules.py` ends with one, called `GAME`."""

    name: str
    title: str
    summary: str
    """What kind of game it is, in a few words."""
    number: int
    """The rules number: goes up, by hand, whenever the same inputs give other rows."""
    players: tuple[int, ...]
    """The numbers of seats it can be played with."""
    usual: int
    """The number of seats where nothing else is said."""
    decisions: Callable[[int], int]
    """Roughly how many decisions a match with so many seats asks for: sizes chunks."""
    pack: Pack
    rules: type[Rules]
    state: type[State]
    actions: tuple[type[Action], ...]
    parse: Callable[[str], Action]
    """Reads an action's notation; ValueError for anything else."""
    imagine: Callable[[Any, Random, Any], State]
    """`imagine(view, rng, rules)`: a full state consistent with a view, each placement of the
    cards that the view doesn't show equally likely."""
    tactics: tuple[Tactic, ...]
    ends: tuple[str, ...]
    """The words for why a match ended."""
    words: tuple[str, ...] = ()
    """The first words of its actions' notation: what a variant may forbid, beside tactics."""
    stalls: tuple[str, ...] = ()
    """Those of `ends` that mean that a match was cut short."""
    roles: Callable[[int], tuple[str, ...]] = _no_roles
    """With so many players, each seat's role; `""` where seats are alike."""
    teams: Callable[[int], tuple[int, ...]] = _no_teams
    """With so many players, each seat's team; by default each seat plays for itself."""

    def has_roles(self, players: int) -> bool:
        """Whether its seats differ in kind, and so form teams."""
        return len(set(self.roles(players))) > 1

    def points(self, places: Sequence[int]) -> tuple[float, ...]:
        """The points that these places earn.

        One point a match, shared equally by the seats in first place; with teams 1 for each seat
        of the team that won, and half a point for everybody where no team did.
        """
        teams = self.teams(len(places))
        winners = {team for team, place in zip(teams, places, strict=True) if place == 1}
        if len(set(teams)) == len(teams):
            return shared(places)
        share = 1.0 if len(winners) == 1 else 0.5
        return tuple(share if place == 1 else 0.0 for place in places)

    def check_players(self, players: int, rules: Rules) -> None:
        """ValueError unless the game, under these rules, can be played by so many."""
        if players not in self.players:
            low, high = self.players[0], self.players[-1]
            span = f"{low}" if low == high else f"{low} to {high}"
            raise ValueError(f"{self.name}: players must be {span}, not {players}")
        rules.check_players(players)
