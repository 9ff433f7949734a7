"""What `search` plays imagined matches on with: for each game a cheap policy, and where to stop.

A policy reads the imagined state, but only what all seats, or the seat to act, could know of it:
a playout in which everybody knows the hidden cards would tell that waiting is always best.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import exp
from random import Random
from typing import Any, NamedTuple

from games.game import Action, Game, State
from harness.bot import Setup

Policy = Callable[[Any, Random], Action]
"""Chooses for the seat to act."""


class Playouts(NamedTuple):
    """How a game's imagined matches are played on."""

    choose: Policy
    decisions: int
    """After so many choices of more than one action a playout is cut off."""
    scale: float
    """A lead of so much in `standing` makes a seat's part of the points e times as large."""
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
        """One point, shared by standing: each seat has its team's part."""
        weights = {}
        standings = [state.standing(seat) or 0 for seat in range(state.players)]
        best = max(standings)
        for team, standing in zip(self.teams, standings, strict=True):
            weights[team] = exp((standing - best) / self.scale)
        whole = sum(weights.values())
        return [weights[team] / whole for team in self.teams]


def playouts_of(setup: Setup, game: Game) -> Playouts:
    """Those of the game at hand; random ones where none are known."""
    make, decisions, scale = KNOWN.get(setup.game, (any_game, 200, 1.0))
    return Playouts(make(setup), decisions, scale, game.teams(setup.players))


def any_game(setup: Setup) -> Policy:
    """By lot."""

    def choose(state: State, rng: Random) -> Action:
        legal = state.legal()
        return legal[int(rng.random() * len(legal))]

    return choose


def casino_go_fish(setup: Setup) -> Policy:
    """Draws what it can, mostly; swaps where that brings more cards of one number together."""
    from games.casino_go_fish.actions import RANK, Keep, Swap

    worth = (0, 1, 5, 14, 14)

    def choose(state: Any, rng: Random) -> Action:
        legal: Sequence[Action] = state.legal()
        if state.phase == "switch" or state.phase == "keep":
            held = state.held[state.turn]
            best, choice = 0, legal[-1]
            for action in legal:
                if type(action) is Swap:
                    into, out = RANK[action.drawn], RANK[action.out]
                    if into == out:
                        continue
                    more, less = held >> 3 * into & 7, held >> 3 * out & 7
                    gain = worth[more + 1] - worth[more] - worth[less] + worth[less - 1]
                elif type(action) is Keep:
                    more = held >> 3 * RANK[action.card] & 7
                    gain = worth[more + 1] - worth[more]
                else:
                    continue
                if gain > best:
                    best, choice = gain, action
            return choice
        return legal[int(rng.random() * len(legal))]

    return choose


def de_boers(setup: Setup) -> Policy:
    """Draws, mostly, while the mine lasts; then robs those who are known to be rich."""
    from games.de_boers.steals import CALL

    def choose(state: Any, rng: Random) -> Action:
        legal: Sequence[Action] = state.legal()
        if len(legal) == 1:
            return legal[0]
        if state.stockpile is not None:
            return CALL
        if state.mine and rng.random() < 0.9:
            return legal[0]
        least, sizes, lays = state.least, state.sizes, state.lays
        best, choice = 0.0, legal[0]
        for _ in range(8):
            action: Any = legal[1 + int(rng.random() * (len(legal) - 1))]
            *_, shares = lays[action.cards]
            gain = 0.0
            for victim, share in zip(action.victims, shares, strict=True):
                sure = least[victim]
                has = sure + (sizes[victim] - sure) / 5
                gain += share if share < has else has
            if gain > best:
                best, choice = gain, action
        return choice

    return choose


def fraser_island(setup: Setup) -> Policy:
    """Keeps cards as rock, buries diamonds late, and challenges now and then."""
    from games.fraser_island.moves import PASS, PLAYS, TRUTH

    claims = {"rock": 1, "gem": 2, "diamond": 1}
    quiet: list[Action] = [PLAYS[card][claims[kind]] for card, kind in enumerate(TRUTH)]

    def choose(state: Any, rng: Random) -> Action:
        if state.phase != "play":
            legal: Sequence[Action] = state.legal()
            if rng.random() < 0.1:
                return legal[int(rng.random() * (len(legal) - 1))]
            return PASS
        hand = state.hands[state.turn]
        card: int = hand[int(rng.random() * len(hand))]
        if rng.random() < 0.1:
            return PLAYS[card][int(rng.random() * 4)]
        return quiet[card]

    return choose


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
            for _, card in pile:
                unseen &= ~(1 << card)
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
            if fits.bit_count() <= 1 + (rng.random() < 0.2):
                for card in cards_of(fits):
                    rest = hand & ~fits
                    if rest & OF_RANK[RANK[card]] and rest & OF_SUIT[SUIT[card]]:
                        return CHALLENGES[card][other]
        if state.sizes[seat] <= 3 + 6 * rng.random():
            return PASS
        cards = cards_of(hand)
        choice: Action = PASS
        best = -1.0
        for _ in range(3):
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


KNOWN: dict[str, tuple[Callable[[Setup], Policy], int, float]] = {
    "casino_go_fish": (casino_go_fish, 40, 1.0),
    "de_boers": (de_boers, 400, 2.0),
    "forest_fox": (any_game, 20, 1.0),
    "fraser_island": (fraser_island, 400, 20.0),
    "tragedy": (tragedy, 60, 4.0),
}
"""By game: its policy, where a playout is cut off, and the scale of `standing` there."""
