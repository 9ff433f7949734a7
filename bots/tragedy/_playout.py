"""Tragedy, for `search`: a player who challenges where one card is left, attacks, or hoards."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any

from bots._playouts import Known, Policy
from games.game import Action
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
from harness.bot import Setup


def policy(setup: Setup) -> Policy:
    """Challenges where one card is left, else attacks, or hoards; all by what everybody heard."""
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


KNOWN = Known(policy, decisions=60, scale=4.0)
