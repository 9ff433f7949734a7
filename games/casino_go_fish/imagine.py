"""Casino Go Fish: the cards that a view doesn't show, imagined."""

from collections.abc import Sequence
from itertools import chain
from random import Random

from games.cards import Card
from games.casino_go_fish import view as see
from games.casino_go_fish.actions import PACK
from games.casino_go_fish.table import END, ENOUGH, OVER, Table
from games.casino_go_fish.view import View


def lay_out(state: Table, view: View) -> None:
    """Sets what the view shows."""
    players = state.players
    state.pool = view.pool
    state.pile = view.pile
    state.sets = view.sets
    state.shown = view.shown
    state.public = list(view.known[:-1])
    state.to_dealer = list(view.known)
    state.of_dealer = [view.known[-1]] * (players - 1)
    state.phase = view.phase
    state.turn = view.turn
    state.to_act = None if view.phase == OVER else view.turn
    state.round = view.round
    state.finished = (view.round - 1) * players + view.turn + (view.phase == OVER)
    state.taken_from = view.taken_from
    state.taken_to = view.taken_to
    state.masked = view.taken_to == "hand" and players > 2
    state.heard = None


def place(state: Table, view: View, rng: Random) -> None:
    """Puts the cards that the view doesn't show where they may be."""
    start: list[Sequence[Card]] = list(view.known)
    start[view.seat] = view.hand
    drawn, swapped_out = _seen(view.drawn), _seen(view.swapped_out)
    seen = {*chain(*start, *chain(*view.sets)), *view.pool, *view.pile, *drawn, *swapped_out}
    unseen = [card for card in PACK.cards if card not in seen]
    while True:
        rng.shuffle(unseen)
        deck = iter(unseen)
        hands = [
            sorted([*cards, *[next(deck) for _ in range(size - len(cards))]])
            for cards, size in zip(start, view.sizes, strict=True)
        ]
        if not any(state.numbers(hand) & ENOUGH for hand in hands):
            break
    state.hands = hands
    state.drawn = sorted(drawn + [next(deck) for _ in range(view.drawn.count(None))])
    masked = [next(deck) for _ in range(view.swapped_out.count(None))]
    state.swapped_out = sorted(swapped_out + masked)
    # The deck's cards are the last of 52, whatever those before them were.
    left = list(deck)
    state.top = END - len(left)
    state.deck = [*PACK.cards[: state.top], *left]
    # Swapped in, where that is masked: any of the Dealer's cards; as many as fit, the others were
    # in a set.
    swapped_in = _seen(view.swapped_in)
    lacking = view.swapped_in.count(None)
    if lacking:
        others = [card for cards in view.sets[view.turn] for card in cards]
        hand = hands[view.turn][:]
        rng.shuffle(hand)
        swapped_in = (hand + others[::-1])[:lacking]
    state.swapped_in = sorted(swapped_in)
    state.refresh()


def _seen(cards: see.Masked) -> list[Card]:
    return [card for card in cards if card is not None]
