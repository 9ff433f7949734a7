"""What `search` plays imagined matches on with: for each game a cheap policy, and where to stop.

A policy reads the imagined state, but only what all seats, or the seat to act, could know of it:
a playout in which everybody knows the hidden cards would tell that waiting is always best.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from math import exp
from random import Random
from typing import Any, NamedTuple

from games.game import Action, Game, State
from harness.bot import Setup

CAUTION = 0.7
"""Fraser Island: how likely a big diamond imagined in a pile is rather still in the hand."""
ODDS = 0.65
"""Fraser Island: a challenge is promising where it finds a diamond with this probability."""
CALM = 0.2
"""Fraser Island: how often a player passes whatever it sees."""
BURIES = 0.2
"""Fraser Island: how often big diamonds are kept as well, if there is rock to lay on top."""
SETS = {4: (0.0, 0.025, 0.1, 0.3, 1.0, 1.0), 3: (0.0, 0.1, 0.3, 1.0, 1.0, 1.0)}
"""Casino Go Fish: what so many cards of one number are worth, in sets, by the size of a set."""
STEALS = 16
"""De Boers: so many steals are looked at,"""
LOOKS = 0.05
"""in so many turns in which one may draw;"""
PREY = 5.0
"""then it robs for more than so many diamonds."""
DELAYS = 0.8
"""De Boers: how often a turn is passed on for the sake of the last one."""

HURRY = 0.1, 0.03
"""Casino Go Fish: what a card of the deck is worth, in sets, to Patrons and to the Dealer,"""
ROBBING = 0.05
"""and to take one blindly from a Patron."""
BLOCKED = 0.3, 0.7
"""What a Patron's cards of a number still promise where the Dealer holds some, and reversed."""

Policy = Callable[[Any, Random], Action]
"""Chooses for the seat to act."""


class Playouts(NamedTuple):
    """How a game's imagined matches are played on."""

    choose: Policy
    informed: bool
    """Whether that isn't by lot."""
    decisions: int
    """After so many choices of more than one action a playout is cut off."""
    leads: Callable[[Any], Sequence[float]]
    """By seat, how it stands where a playout is cut off."""
    scale: float
    """A lead of so much makes a seat's part of the points e times as large."""
    believe: Callable[[Any, int, Random], None]
    """Makes an imagined state, in which all that is hidden was drawn evenly, a likelier one."""
    teams: Sequence[int]

    def points(self, state: State, rng: Random) -> Sequence[float]:
        """What each seat earns at the end, or may hope for where the playout is cut off."""
        choose = self.choose
        for _ in range(self.decisions):
            if state.to_act is None:
                return state.result().points
            state.apply(choose(state, rng))
        if state.to_act is None:
            return state.result().points
        return self.hopes(state)

    def hopes(self, state: State) -> Sequence[float]:
        """One point, shared by how the seats stand: each has its team's part."""
        leads = self.leads(state)
        best = max(leads)
        weights = {}
        for team, lead in zip(self.teams, leads, strict=True):
            weights[team] = exp((lead - best) / self.scale)
        whole = sum(weights.values())
        return [weights[team] / whole for team in self.teams]


class Known(NamedTuple):
    """What is known of a game; the fields are those of `Playouts`."""

    policy: Callable[[Setup], Policy]
    decisions: int
    leads: Callable[[Any], Sequence[float]]
    scale: float
    believe: Callable[[Any, int, Random], None]


def playouts_of(setup: Setup, game: Game) -> Playouts:
    """Those of the game at hand; random ones where none are known."""
    known = KNOWN.get(setup.game, UNKNOWN)
    return Playouts(
        choose=known.policy(setup),
        informed=known.policy is not any_game,
        decisions=known.decisions,
        leads=known.leads,
        scale=known.scale,
        believe=known.believe,
        teams=game.teams(setup.players),
    )


def evenly(state: State, seat: int, rng: Random) -> None:
    """Leaves an imagined state as it is."""


def standings(state: State) -> Sequence[float]:
    """The game's own measure; in a game without one all are equal."""
    return [state.standing(seat) or 0 for seat in range(state.players)]


def any_game(setup: Setup) -> Policy:
    """By lot."""

    def choose(state: State, rng: Random) -> Action:
        legal = state.legal()
        return legal[int(rng.random() * len(legal))]

    return choose


def casino_go_fish(setup: Setup) -> Policy:
    """Takes in what it has most of, of numbers that may still make a set: the best of a few draws,
    and of all swaps. The Dealer robs, Patrons hurry through the deck, nobody shows.
    """
    from games.casino_go_fish.actions import (
        RANK,
        Draw,
        Keep,
        Pool,
        Show,
        Swap,
        TakeBlind,
        TakeShown,
    )

    gains = [few[1] - few[0] for few in pairwise(SETS[setup.rules.set_size])]
    spare = 4 - setup.rules.set_size

    def gain(number: int, live: int, held: int) -> float:
        """What one more of a number is worth, in sets."""
        return gains[held >> 3 * number & 7] if live >> 3 * number & 1 else 0.0

    def worth(action: Any, live: int, held: int, unseen: float) -> float:
        """In sets, to a hand that holds so many of each number, three bits each."""
        kind = type(action)
        if kind is Swap:
            into, out = RANK[action.drawn], RANK[action.out]
            if into == out:
                return -0.001
            return gain(into, live, held) - gain(out, live, held - (1 << 3 * out))
        if kind is Keep:
            return gain(RANK[action.card], live, held)
        if kind is Pool or kind is TakeShown:
            return sum([gain(RANK[card], live, held) for card in action.cards])
        if kind is Draw:
            return unseen * float(action.number)
        if kind is TakeBlind:
            return ROBBING * float(action.number)
        return -1.0 if kind is Show else 0.0

    def choose(state: Any, rng: Random) -> Action:
        legal: Sequence[Action] = state.legal()
        seat = state.turn
        held, live = state.held[seat], possible(state.pile, state.sets, spare)
        if state.phase == "draw":
            legal = [legal[int(rng.random() * len(legal))] for _ in range(4)]
        unseen = HURRY[seat == state.dealer]
        best = -1.0
        for action in legal:
            value = worth(action, live, held, unseen)
            if value >= best:
                best, choice = value, action
        return choice

    return choose


@lru_cache(maxsize=1 << 12)
def possible(pile: Sequence[int], sets: Sequence[Sequence[Sequence[int]]], spare: int) -> int:
    """Casino Go Fish: the numbers of which there may be another set, three bits each.

    So many cards of a number can be spared.
    """
    from games.casino_go_fish.actions import RANK

    gone = Counter(map(RANK.__getitem__, chain(pile, *chain(*sets))))
    return sum([7 << 3 * number for number in range(13) if gone[number] <= spare])


def casino_go_fish_leads(state: Any) -> Sequence[float]:
    """Sets, and what the cards held alike promise as long as there is a deck.

    Less where the other side holds some of that number.
    """
    *patrons, dealer = state.held
    live, worth = possible(state.pile, state.sets, 4 - state.set_size), SETS[state.set_size]
    either = 0
    for held in patrons:
        either |= held
    hope = 0.0
    for number in range(0, 39, 3):
        if live >> number & 1:
            house = dealer >> number & 7
            for held in patrons:
                promise = worth[held >> number & 7]
                hope += promise * BLOCKED[0] if house else promise
            promise = worth[house]
            hope -= promise * BLOCKED[1] if either >> number & 7 else promise
    lead = state.standing(0) + hope * min(1.0, (52 - state.top) / 16)
    return [lead] * state.dealer + [-lead]


def de_boers(setup: Setup) -> Policy:
    """Draws while the mine lasts, but for rich prey, or to pass the last card on; then robs the
    rich. Of the steals a few are looked at, by what their player can know.
    """
    from games.de_boers.steals import CALL, DRAW

    players = setup.players
    free = not setup.rules.restriction.forbidden

    def expected(state: Any, seat: int) -> list[float]:
        """The diamonds that each seat may have for this one: those known, its share of the rest."""
        least, sizes = state.least, state.sizes
        known = sum(least) - least[seat]
        unseen = len(state.mine) + sum(sizes) - sizes[seat] - known
        share = max(0, 13 - state.diamonds[seat].bit_count() - known) / max(1, unseen)
        return [few + share * (size - few) for few, size in zip(least, sizes, strict=True)]

    def best(state: Any, steals: Sequence[Any], most: float, rng: Random) -> Action | None:
        """The steal that brings more than so many diamonds, and most of those looked at."""
        choice: Action | None = None
        if steals:
            holds, lays, number = expected(state, state.turn), state.lays, len(steals)
            for _ in range(STEALS):
                action = steals[int(rng.random() * number)]
                gain = 0.0
                for victim, owed in zip(action.victims, lays[action.cards][3], strict=True):
                    has = holds[victim]
                    gain += owed if owed < has else has
                if gain > most:
                    most, choice = gain, action
        return choice

    def choose(state: Any, rng: Random) -> Action:
        if state.stockpile is not None:
            legal: Sequence[Action] = state.legal()
            return CALL if CALL in legal else legal[0]
        left = len(state.mine)
        # With as many cards left as players, or one less, a turn that doesn't draw may make the
        # last turn one's own.
        ending = 1 < left <= players <= left + 1
        if free and left and not ending and rng.random() > LOOKS:
            return DRAW
        legal = state.legal()
        steals: Sequence[Any] = legal[1:]
        if ending:
            if rng.random() > DELAYS:
                return legal[0]
            steals = [action for action in steals if len(action.cards) == 2]
        return best(state, steals, PREY if left and not ending else 0, rng) or legal[0]

    return choose


def fraser_island(setup: Setup) -> Policy:
    """Keeps its gems and small diamonds, and big ones where nobody can challenge, now and then to
    bury them; challenges where enough lies hidden.
    """
    from games.fraser_island.moves import DIAMOND, GEM, PASS, PLAYS, ROCK, TRUTH
    from games.fraser_island.rules import pack_for
    from games.fraser_island.table import NEVER, PLAY, WINDOW
    from games.fraser_island.tactics import CAUGHT
    from games.fraser_island.worth import PUNISHMENT, worths

    claims = {"rock": 1, "gem": 2, "diamond": 1}
    quiet: list[Action] = [PLAYS[card][claims[kind]] for card, kind in enumerate(TRUTH)]
    diamond = [kind == DIAMOND for kind in TRUTH]
    rules = setup.rules
    depth = rules.reveal_depth
    punishment = PUNISHMENT[rules.execution]
    small = [is_one and punishment[card] == CAUGHT for card, is_one in enumerate(diamond)]
    worth = worths(rules.big_diamond, rules.legendary_diamond, rules.gem).__getitem__
    pack = pack_for(rules, setup.players)
    diamonds_in_pack = sum([diamond[card] for card in pack])

    def promising(state: Any, seat: int) -> bool:
        """Whether a challenge shows none of its own diamonds, and enough that nobody has seen."""
        free = state.free and state.turn != seat
        if state.failures[seat] and not free and state.phase == WINDOW:
            return False
        for card in state.piles[seat][-depth:]:
            if diamond[card]:
                return False
        hidden = 0
        for other, seen in enumerate(state.seen):
            if other != seat:
                for kept in seen[-depth:]:
                    if kept.card is None:
                        hidden += 1
        if free or state.phase != WINDOW:
            return hidden > 0
        if hidden < 3:
            return False
        public, hand = state.public, state.hands[seat]
        left = diamonds_in_pack - sum(public[13:26]) - sum([diamond[card] for card in hand])
        share = left / (len(pack) - sum(public) - len(hand))
        return bool((1 - share) ** hidden < 1 - ODDS)

    def choose(state: Any, rng: Random) -> Action:
        if state.phase != PLAY:
            if rng.random() < CALM or not promising(state, state.to_act):
                return PASS
            legal: Sequence[Action] = state.legal()
            return legal[int(rng.random() * (len(legal) - 1))]
        seat = state.turn
        hand: list[int] = state.hands[seat]
        luck = rng.random()
        if luck < 0.05:
            return PLAYS[hand[int(20 * luck * len(hand))]][int(rng.random() * 4)]
        rocks = [card for card in hand if TRUTH[card] == ROCK]
        gems = [card for card in hand if TRUTH[card] == GEM]
        diamonds = [card for card in hand if diamond[card]]
        if diamonds:
            ready: Sequence[int] = diamonds
            for other, price in enumerate(state.prices):
                if price != NEVER and other != seat:  # it may be seen
                    time = len(state.deck) > depth * state.players  # to cover it before the end
                    bury = luck < BURIES and len(rocks) + len(gems) >= depth
                    ready = [card for card in diamonds if time and (bury or small[card])]
                    break
            if ready:
                return quiet[max(ready, key=worth)]
        if gems and (len(gems) > rules.fee or not rocks):
            return quiet[gems[-1]]
        return quiet[rocks[0] if rocks else min(diamonds, key=worth)]

    return choose


def fraser_island_beliefs(state: Any, seat: int, rng: Random) -> None:
    """Others hold on to most of their big diamonds as long as there are turns to come."""
    from games.fraser_island.moves import DIAMOND, TRUTH
    from games.fraser_island.tactics import CAUGHT
    from games.fraser_island.worth import PUNISHMENT

    punishment = PUNISHMENT[state.rules.execution]

    if len(state.deck) < 2 * state.players:
        return
    for other, seen in enumerate(state.seen):
        for card, kept in zip(state.piles[other], seen, strict=True):
            hidden = other != seat and kept.card is None and TRUTH[card] == DIAMOND
            if hidden and punishment[card] != CAUGHT and rng.random() < CAUTION:
                held = [
                    one
                    for one in state.hands[other]
                    if TRUTH[one] != DIAMOND and one not in state.known[other]
                ]
                if held:
                    into = held[int(rng.random() * len(held))]
                    state.exchange(f"pile {other}", card, f"hand {other}", into)


def tragedy(setup: Setup) -> Policy:
    """Challenges where one card is left, else attacks, or hoards; all by what everybody heard."""
    from games.tragedy.actions import (
        ALL,
        ATTACKS,
        CHALLENGES,
        OF_RANK,
        OF_SUIT,
        PASS,
        RANK,
        SUIT,
        cards_of,
    )
    from games.tragedy.answers import ANSWERING

    answering = ANSWERING[setup.rules.ace_high]

    @lru_cache(maxsize=1 << 12)
    def lying(pile: tuple[tuple[int, Any], ...]) -> int:
        """The mask of the cards of a pile."""
        return sum({1 << card for _, card in pile})

    @lru_cache(maxsize=1 << 12)
    def fitting(answers: tuple[tuple[Any, str], ...], wrong: tuple[Any, ...]) -> int:
        """The cards that fit what all have heard of a flaw."""
        fits = ALL
        for card, answer in answers:
            fits &= answering[answer][card] & ~(1 << card)
        for card in wrong:
            fits &= ~(1 << card)
        return fits

    def choose(state: Any, rng: Random) -> Action:
        if state.phase != "turn":
            legal: Sequence[Action] = state.legal()
            return legal[int(rng.random() * len(legal))]
        seat = state.player
        hand = state.hands[seat]
        unseen = ALL & ~hand & ~(1 << state.flaws[seat])
        for pile in state.piles:
            if pile:
                unseen &= ~lying(pile)
        targets = [
            other for other in range(state.players) if other != seat and state.living >> other & 1
        ]
        found = []
        for other in targets:
            if state.public[other] is None:
                fits = fitting(state.answers[other], state.wrong[other]) & unseen
            else:
                fits = 1 << state.public[other]
            found.append(fits)
            if not fits & (fits - 1) or rng.random() < 0.1:
                for card in cards_of(fits):
                    rest = hand & ~(1 << card)
                    if rest & OF_RANK[RANK[card]] and rest & OF_SUIT[SUIT[card]]:
                        return CHALLENGES[card][other]
        if state.sizes[seat] <= min(8, 36 // (len(targets) + 1)) and rng.random() < 0.8:
            return PASS
        cards = cards_of(hand)
        choice: Action = PASS
        best = -1.0
        for _ in range(4):
            at = int(rng.random() * len(targets))
            card = cards[int(rng.random() * len(cards))]
            fits = found[at]
            match = (fits & answering["match"][card]).bit_count()
            above = (fits & answering["high"][card]).bit_count()
            n = fits.bit_count() or 1
            below = n - match - above
            gain = match / n / 2 - (match * match + above * above + below * below) / (n * n)
            if gain > best:
                best, choice = gain, ATTACKS[card][targets[at]]
        return choice

    return choose


UNKNOWN = Known(any_game, 200, standings, 1.0, evenly)
KNOWN = {
    "casino_go_fish": Known(casino_go_fish, 0, casino_go_fish_leads, 0.5, evenly),
    "de_boers": Known(de_boers, 400, standings, 2.0, evenly),
    "forest_fox": Known(any_game, 20, standings, 1.0, evenly),
    "fraser_island": Known(fraser_island, 400, standings, 20.0, fraser_island_beliefs),
    "tragedy": Known(tragedy, 60, standings, 4.0, evenly),
}
"""By game."""
