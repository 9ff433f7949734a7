"""A series: some deals between the same entrants, in all their seatings, at one isolation level."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from games.cards import Card
from games.chance import Chance
from games.game import Game, Rules, State
from games.restrictions import state_type
from harness.bot import Bot, Setup
from harness.entrants import Entrant, load
from harness.play.budgets import Budgets
from harness.play.faults import Fault
from harness.play.hosts import Setting
from harness.play.inprocess import Maker, play
from harness.play.lockstep import Finished, Match, hosting
from harness.play.match import Ended, match
from harness.play.restrictions import UNRESTRICTED, Restrictions, names_of
from harness.play.seeds import bot_seeds, deal_seed
from harness.play.tables import table_seatings


@dataclass(frozen=True, kw_only=True)
class Series:
    """What is to be played."""

    game: Game
    path: str
    """The game's name, or its folder."""
    rules: Rules
    players: int
    entrants: tuple[Entrant, ...]
    """One a seat; in a game with teams one a team, or one a seat with `as_given`."""
    key: bytes
    """The run's."""
    deals: range
    isolation: str
    budgets: Budgets
    as_given: bool = False
    """Only one seating: the entrants as they are listed."""
    width: int = 128
    hash_seed: str = "0"
    restrictions: Restrictions = UNRESTRICTED
    moves: bool = False
    """Whether the records' entries are kept; of a hosted match with a fault they are anyway."""

    @property
    def observing(self) -> list[bool]:
        """By entrant, whether it is told events: unless they are withheld, where it wants them."""
        withheld = self.restrictions.withhold == "events"
        return [entrant.bot.observes and not withheld for entrant in self.entrants]

    def rules_at(self, order: tuple[int, ...]) -> Rules:
        """The rules of a match in this seating, with what is forbidden to whom."""
        names = [names_of(self.entrants[i]) for i in order]
        return self.restrictions.rules(self.game, self.rules, self.players, names)

    def orders(self, deal: int) -> list[tuple[int, ...]]:
        """The seatings of a deal: for each, the index of each seat's entrant."""
        if self.as_given:
            by_seat = len(self.entrants) == self.players
            return [tuple(range(self.players)) if by_seat else self.game.teams(self.players)]
        labels = [entrant.label for entrant in self.entrants]
        return table_seatings(self.game, self.players, self.key, labels, deal)


class MatchPlayed(NamedTuple):
    """A match of a series."""

    deal: int
    seating: int
    order: tuple[int, ...]
    """By seat, the index of its entrant."""
    state: State
    ended: Ended
    time_ns: list[int]
    """By seat, what its bot took: wall time in-process, CPU time in hosts."""
    moves: list[str] | None


class LookTaken(NamedTuple):
    """A second look at what seemed to be a fault."""

    bot: str
    deal: int
    seating: int
    seat: int
    kind: str
    outcome: str


def played(series: Series, looks: list[LookTaken]) -> Iterable[MatchPlayed]:
    """Plays a series; second looks are added to `looks`.

    In this process matches come in the order of deals and seatings, from hosts as they end.
    """
    if series.isolation == "inprocess":
        return _in_process(series)
    return _in_hosts(series, looks)


def _in_process(series: Series) -> Iterator[MatchPlayed]:
    """With bots called directly."""
    game, players, key = series.game, series.players, series.key
    makers = [load(entrant) for entrant in series.entrants]
    seated: dict[tuple[int, ...], tuple[type[State], Rules, list[Maker]]] = {}
    observing = series.observing
    anybody = any(observing)
    listeners: Sequence[int] = ()
    orders: list[tuple[int, ...]] | None = None
    for deal in series.deals:
        seed = deal_seed(key, game.name, players, deal)
        seeds = bot_seeds(seed, players)
        deck = None
        if orders is None or len(makers) > 2:  # two have only one cyclic order
            orders = series.orders(deal)
        for seating, order in enumerate(orders):
            moves: list[str] | None = [] if series.moves else None
            chance = Chance(game.pack, seed, deck=deck, log=moves)
            if anybody:
                listeners = [seat for seat in range(players) if observing[order[seat]]]
            if order not in seated:
                rules = series.rules_at(order)
                seated[order] = (state_type(game, rules), rules, _told(series, makers, order))
            begin, rules, makers_here = seated[order]
            state = begin(rules, players, chance, listeners)
            deck = chance.deck
            ended, time_ns = play(game, state, makers_here, seeds, moves)
            one = (deal, seating, order, state, ended, time_ns, moves)
            yield tuple.__new__(MatchPlayed, one)


def _told(series: Series, makers: Sequence[Maker], order: tuple[int, ...]) -> list[Maker]:
    """The makers by seat; if something is forbidden to bots as such, each tells its own."""
    if not series.restrictions.by_bot:
        return [makers[i] for i in order]
    return [
        _telling(series, makers[i], seat, names_of(series.entrants[i]))
        for seat, i in enumerate(order)
    ]


def _telling(series: Series, maker: Maker, seat: int, names: Collection[str]) -> Maker:
    if isinstance(maker, Fault):
        return maker
    rules = series.restrictions.told(series.game, series.rules, series.players, seat, names)

    def made(setup: Setup) -> Bot:
        return maker(setup._replace(rules=rules))

    return made


def _in_hosts(series: Series, looks: list[LookTaken]) -> Iterator[MatchPlayed]:
    """With each bot in a host of its own, one seating after the other.

    A host has one bot, and where seats differ in kind one seat of its team; it sees each deal
    once. Hosts start afresh for each seating, so that none remembers a mirrored match.
    """
    setting = setting_of(series)
    failed: dict[str, Fault] = {}
    dealt: dict[int, Dealt] = {}
    for seating, order in enumerate(series.orders(series.deals[0])):
        by_seat = stays(series, order)
        whose = order if by_seat else tuple(range(len(series.entrants)))
        entrants = [series.entrants[i] for i in whose]
        with hosting(setting, entrants, failed) as lockstep:
            for finished in lockstep.play(matches_of(series, seating, by_seat, dealt)):
                yield finished_match(series, finished)
            looks += [LookTaken(entrants[i].label, *look) for i, look in lockstep.looks]
    looks.sort(key=lambda look: (look.deal, look.seating, look.seat))


def setting_of(series: Series, stdout: int | None = None) -> Setting:
    """What the hosts of a series need to know."""
    return Setting(
        series.game,
        series.path,
        series.rules,
        series.players,
        series.isolation,
        series.budgets,
        series.width,
        series.hash_seed,
        stdout,
        series.restrictions,
    )


def stays(series: Series, order: tuple[int, ...]) -> bool:
    """Whether a seating has everybody in the same seats at every deal: hosts then go by seat."""
    return series.as_given or len(series.entrants) <= 2 or len(set(order)) < series.players


def finished_match(series: Series, finished: Finished) -> MatchPlayed:
    """A hosted match as one of a series."""
    one, ended = finished.match, finished.ended
    moves = one.moves
    if moves is None and ended.fault is not None:
        moves = _moves(series, finished)
    return MatchPlayed(one.deal, one.seating, one.order, one.state, ended, finished.time_ns, moves)


def _moves(series: Series, finished: Finished) -> list[str]:
    """The record's entries of a match that was played without, from its answers."""
    moves: list[str] = []
    own = _dealt(series, finished.match.deal)
    state = _state(series, own, finished.match.order, (), moves)
    again = match(series.game, state, moves)
    with suppress(StopIteration):
        for answer in (None, *finished.answers, finished.ended.fault):
            again.send(answer)
    return moves


class Dealt(NamedTuple):
    """What all matches of a deal share."""

    seed: int
    bot_seeds: list[int]
    deck: Sequence[Card] | None
    """None before its first match."""
    orders: list[tuple[int, ...]]
    """Its seatings."""


def _dealt(series: Series, deal: int) -> Dealt:
    seed = deal_seed(series.key, series.game.name, series.players, deal)
    return Dealt(seed, bot_seeds(seed, series.players), None, series.orders(deal))


def _state(
    series: Series,
    own: Dealt,
    order: tuple[int, ...],
    listeners: Sequence[int],
    moves: list[str] | None = None,
) -> State:
    """The beginning of a match."""
    rules = series.rules_at(order)
    chance = Chance(series.game.pack, own.seed, deck=own.deck, log=moves)
    return state_type(series.game, rules)(rules, series.players, chance, listeners)


def matches_of(
    series: Series, seating: int, by_seat: bool, dealt: dict[int, Dealt]
) -> Iterator[Match]:
    """The matches of one seating; each seat's slot is itself, or its entrant. What was `dealt` is
    kept for the next seating.
    """
    seats = tuple(range(series.players))
    observing = series.observing
    anybody = any(observing)
    listeners: Sequence[int] = ()
    for deal in series.deals:
        own = dealt.get(deal) or _dealt(series, deal)
        order = own.orders[seating]
        if anybody:
            listeners = [seat for seat in seats if observing[order[seat]]]
        moves: list[str] | None = [] if series.moves else None
        state = _state(series, own, order, listeners, moves)
        if own.deck is None:
            own = dealt[deal] = own._replace(deck=state.chance.deck)
        again = partial(_state, series, own, order, listeners)
        slots = seats if by_seat else order
        yield Match(deal, seating, order, state, slots, own.bot_seeds, moves, again)
