"""Where the cards may be that a view doesn't show: one placement, each equally likely."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from games.cards import Card, mask
from games.tragedy.actions import ALL, cards_of
from games.tragedy.answers import ANSWERING
from games.tragedy.view import View


class Placement(NamedTuple):
    """Where all the cards are; hands and heaps are masks."""

    hands: list[int]
    flaws: list[Card]
    deck: list[Card]
    discards: int
    """The cards discarded so far, towards the next deck."""
    attacks: int
    """With `hidden_attacks`, the attack cards that lie face down."""


def in_sight(view: View) -> int:
    """The mask of the cards whose place the view tells."""
    seen = mask(view.hand) | 1 << view.flaw | mask(view.known_deck)
    for pile, flaw, known in zip(view.piles, view.flaws, view.known, strict=True):
        for _, card in pile:
            seen |= 1 << card
        if flaw is not None:
            seen |= 1 << flaw
        seen |= mask(known)
    return seen


def candidates(view: View, ace_high: bool) -> list[int]:
    """For each seat the mask of what its flaw can be, each for itself.

    That is: a card whose place isn't told, that fits every answer listed and wasn't wrongly named.
    No card that attacked anybody can be a flaw, wherever it is now.
    """
    free = ALL & ~in_sight(view)
    for answers in view.answers:
        for card, _ in answers:
            free &= ~(1 << card)
    answering = ANSWERING[ace_high]
    able = []
    for seat, public in enumerate(view.flaws):
        if seat == view.seat:
            public = view.flaw
        if public is not None:
            able.append(1 << public)
            continue
        fits = free & ~mask(set(view.wrong[seat]))
        for card, answer in view.answers[seat]:
            fits &= answering[answer][card]
        able.append(fits)
    return able


def draw_flaws(able: Sequence[int], rng: Random) -> list[Card]:
    """A flaw for each seat, all different: every such choice equally likely.

    By rejection: each seat's is drawn for itself, and all again until they differ. That is exact,
    and never long: with sets that leave any choice at all, at least 1 in n! of the draws for n
    seats whose flaws aren't known will do (1 in 120 for five), whatever the sets.
    """
    sets = [cards_of(fits) for fits in able]
    while True:
        flaws = [cards[int(rng.random() * len(cards))] for cards in sets]
        if len(set(flaws)) == len(flaws):
            return flaws


def place(view: View, rng: Random, ace_high: bool) -> Placement:
    """A placement that fits the view, each equally likely.

    The flaws are bound only by what was answered about them and by being different cards. However
    they fall, the number of cards left is the same, and those go anywhere.
    """
    flaws = draw_flaws(candidates(view, ace_high), rng)
    rest = list(cards_of(ALL & ~in_sight(view) & ~mask(set(flaws))))
    rng.shuffle(rest)
    hands = []
    for seat, known in enumerate(view.known):
        if seat == view.seat:
            hands.append(mask(view.hand))
            continue
        missing = view.sizes[seat] - len(known)
        hands.append(mask(known) | mask(rest[:missing]))
        del rest[:missing]
    # One's own discards are among the discards until these have become the new deck.
    known_deck = list(view.known_deck)
    known_discards = known_deck if view.phase == "discard" else []
    in_deck = [] if view.phase == "discard" else known_deck
    missing = view.deck_size - len(in_deck)
    deck = in_deck + rest[:missing]
    del rest[:missing]
    rng.shuffle(deck)
    missing = sum(view.attacks or ())
    attacks = mask(rest[:missing])
    discards = mask(known_discards) | mask(rest[missing:])
    return Placement(hands, flaws, deck, discards, attacks)
