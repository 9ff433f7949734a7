"""Lot: one card decides, so that every effect of its options is known exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, NamedTuple

from games import game as base
from games.cards import STANDARD, Card
from games.chance import Chance
from games.restrictions import restrictable


@dataclass(frozen=True, kw_only=True)
class Rules(base.Rules):
    """The options of Lot."""

    game: ClassVar[str] = "lot"

    line: int = base.option(26, range(0, 53))
    """Seat 0 wins with the first so many of 52 cards: line / 52 points a match."""
    stake: int = base.option(0, range(0, 101))
    """Added to the score of a seat that raised: it changes nothing else."""


@dataclass(frozen=True, slots=True)
class Say(base.Action):
    """Raise, or hold."""

    word: str

    def __str__(self) -> str:
        return self.word


SAYS = (Say("hold"), Say("raise"))


class View(NamedTuple):
    """What a seat can see."""

    seat: int
    hand: tuple[Card, ...]
    phase: str


class Said(NamedTuple):
    """What a seat said."""

    seat: int
    raised: bool


class Lot(base.State):
    """A match: seat 0 speaks, then seat 1, then the card is turned up."""

    __slots__ = ("deck", "said")

    def __init__(
        self, rules: Rules, players: int, chance: Chance, listeners: Sequence[int] = ()
    ) -> None:
        self.rules, self.players, self.chance = rules, players, chance
        self.deck = list(chance.shuffle("deck", STANDARD.cards))
        self.said: list[bool] = []
        self.to_act = 0
        self.counts = base.no_counts(TACTICS, players)
        self.heard = base.listening(players, listeners)

    def legal(self) -> tuple[base.Action, ...]:
        return SAYS

    def apply(self, action: Say) -> None:
        seat = len(self.said)
        self.said.append(action.word == "raise")
        self.counts[seat][self.said[-1]] += 1
        self.tell(Said(seat, self.said[-1]))
        self.to_act = 1 if seat == 0 else None

    @property
    def turns(self) -> int:
        return len(self.said)

    def scores(self) -> tuple[int, ...]:
        return tuple(self.rules.stake * raised for raised in (self.said + [False] * 2)[:2])

    def result(self) -> base.Result:
        order = (1, 2) if self.deck[0] < self.rules.line else (2, 1)
        return base.Result(self.scores(), order, base.shared(order), "card")

    def view(self, seat: int) -> View:
        return View(seat, (), ("first", "second", "over")[len(self.said)])

    def copy(self) -> "Lot":
        twin = Lot.__new__(Lot)
        twin.rules, twin.players, twin.chance = self.rules, self.players, self.chance.copy()
        twin.deck, twin.said = [*self.deck], [*self.said]
        twin.to_act, twin.heard = self.to_act, None
        twin.counts = [[*counts] for counts in self.counts]
        return twin

    def cards(self) -> dict[str, tuple[Card, ...]]:
        return {"deck": tuple(self.deck)}

    def hidden(self, seat: int) -> dict[str, tuple[Card, ...]]:
        return self.cards()

    def exchange(self, zone: str, card: Card, other_zone: str, other: Card) -> None:
        i, j = self.deck.index(card), self.deck.index(other)
        self.deck[i], self.deck[j] = other, card


@restrictable
def imagine(view: View, rng: Random, rules: Rules) -> Lot:
    """A state that a view may belong to."""
    state = Lot(rules, 2, Chance(STANDARD, rng.getrandbits(64)))
    spoken = ("first", "second", "over").index(view.phase)
    state.said = [False] * spoken
    state.to_act = None if spoken == 2 else spoken
    return state


def parse(text: str) -> Say:
    """The action that is spelled so."""
    for say in SAYS:
        if say.word == text:
            return say
    raise ValueError(f"{text!r} is no action of Lot")


TACTICS = (
    base.Tactic("held", "held", known=True),
    base.Tactic("raised", "raised", known=True),
)
GAME = base.Game(
    name="lot",
    title="Lot",
    summary="a lottery for two",
    number=1,
    players=(2,),
    usual=2,
    decisions=lambda players: 2,
    pack=STANDARD,
    rules=Rules,
    state=Lot,
    actions=(Say,),
    parse=parse,
    imagine=imagine,
    tactics=TACTICS,
    ends=("card",),
    words=("hold", "raise"),
)
