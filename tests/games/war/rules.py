"""War: the higher card takes both. Nobody decides anything, so it is all luck."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, NamedTuple

from games import game as base
from games.cards import STANDARD, Card
from games.chance import Chance
from games.restrictions import restrictable

RANK = STANDARD.rank


@dataclass(frozen=True, kw_only=True)
class Rules(base.Rules):
    """The options of War."""

    game: ClassVar[str] = "war"

    max_turns: int = base.option(300, range(1, 2001))
    """The match ends after so many turns: whoever has more cards has won."""


@dataclass(frozen=True, slots=True)
class Flip(base.Action):
    """Turn up the top card."""

    def __str__(self) -> str:
        return "flip"


LEGAL = (Flip(),)


class View(NamedTuple):
    """What a seat can see: stacks lie face down."""

    seat: int
    hand: tuple[Card, ...]
    phase: str
    sizes: tuple[int, ...]
    pot: tuple[Card, ...]
    """The cards turned up, in turns, from seat 0's."""
    turns: int


class Flipped(NamedTuple):
    """A seat turned up a card."""

    seat: int
    card: Card


class War(base.State):
    """A match."""

    __slots__ = ("pot", "stacks", "taken")

    def __init__(
        self, rules: Rules, players: int, chance: Chance, listeners: Sequence[int] = ()
    ) -> None:
        self.rules, self.players, self.chance = rules, players, chance
        deck = chance.shuffle("deck", STANDARD.cards)
        self.stacks = [list(deck[0::2]), list(deck[1::2])]
        self.pot: list[Card] = []
        self.taken = 0
        self.to_act = 0
        self.counts = base.no_counts(TACTICS, players)
        self.heard = base.listening(players, listeners)

    def legal(self) -> tuple[base.Action, ...]:
        return LEGAL

    def apply(self, action: Flip) -> None:
        seat = self.to_act
        assert seat is not None
        self.pot.append(self.stacks[seat].pop(0))
        self.tell(Flipped(seat, self.pot[-1]))
        self.to_act = 1 - seat
        if seat == 1:
            self._compare()

    def _compare(self) -> None:
        """The higher card takes the pot; with equal ones it stays, and both turn up again."""
        self.taken += 1
        mine, theirs = (RANK[card] for card in self.pot[-2:])
        if mine != theirs:
            winner = int(theirs > mine)
            self.stacks[winner] += self.chance.shuffle("pot", sorted(self.pot))
            self.counts[winner][0] += 1
            self.pot = []
        if not all(self.stacks) or self.taken >= self.rules.max_turns:
            self.to_act = None

    @property
    def turns(self) -> int:
        return self.taken

    def scores(self) -> tuple[int, ...]:
        return tuple(len(stack) for stack in self.stacks)

    def standing(self, seat: int) -> int:
        return len(self.stacks[seat])

    def result(self) -> base.Result:
        order = base.places(self.scores())
        end = "max_turns" if all(self.stacks) else "stack"
        return base.Result(self.scores(), order, base.shared(order), end)

    def view(self, seat: int) -> View:
        phase = "over" if self.to_act is None else "flip"
        return View(seat, (), phase, self.scores(), tuple(self.pot), self.taken)

    def copy(self) -> "War":
        twin = War.__new__(War)
        twin.rules, twin.players, twin.chance = self.rules, self.players, self.chance.copy()
        twin.stacks, twin.pot = [[*stack] for stack in self.stacks], [*self.pot]
        twin.taken, twin.to_act, twin.heard = self.taken, self.to_act, None
        twin.counts = [[*counts] for counts in self.counts]
        return twin

    def cards(self) -> dict[str, tuple[Card, ...]]:
        return {**self.hidden(0), "pot": tuple(self.pot)}

    def hidden(self, seat: int) -> dict[str, tuple[Card, ...]]:
        return {f"stack {seat}": tuple(stack) for seat, stack in enumerate(self.stacks)}

    def exchange(self, zone: str, card: Card, other_zone: str, other: Card) -> None:
        one, two = (self.stacks[int(name.split()[1])] for name in (zone, other_zone))
        i, j = one.index(card), two.index(other)
        one[i], two[j] = two[j], one[i]


@restrictable
def imagine(view: View, rng: Random, rules: Rules) -> War:
    """A state that a view may belong to."""
    state = War(rules, 2, Chance(STANDARD, rng.getrandbits(64)))
    unseen = [card for card in STANDARD.cards if card not in view.pot]
    rng.shuffle(unseen)
    state.stacks = [unseen[: view.sizes[0]], unseen[view.sizes[0] :]]
    state.pot, state.taken = [*view.pot], view.turns
    state.to_act = None if view.phase == "over" else len(view.pot) % 2
    return state


def parse(text: str) -> Flip:
    """The action that is spelled so."""
    if text != "flip":
        raise ValueError(f"{text!r} is no action of War")
    return LEGAL[0]


TACTICS = (base.Tactic("take", "took the cards turned up"),)
GAME = base.Game(
    name="war",
    title="War",
    summary="luck for two",
    number=1,
    players=(2,),
    usual=2,
    decisions=lambda players: 300,
    pack=STANDARD,
    rules=Rules,
    state=War,
    actions=(Flip,),
    parse=parse,
    imagine=imagine,
    tactics=TACTICS,
    ends=("stack", "max_turns"),
    words=("flip",),
    stalls=("max_turns",),
)
