"""Casino Go Fish: the cards that a view doesn't show, imagined."""

from itertools import chain
from random import Random

from games.cards import BIT, mask
from games.casino_go_fish import view as see
from games.casino_go_fish.actions import ALL, PACK, cards_of
from games.casino_go_fish.table import END, OVER, Table
from games.casino_go_fish.view import View


def lay_out(state: Table, view: View) -> None:
    """Sets what the view shows."""
    players = state.players
    state.pool = mask(view.pool)
    state.pile = mask(view.pile)
    state.sets = view.sets
    state.shown = view.shown
    state.open = [mask(known) for known in view.known]
    state.private_dealer = [0] * players
    state.private_patron = [0] * players
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
    start = state.open[:]
    start[view.seat] = mask(view.hand)
    state.drawn, state.swapped_out = _seen(view.drawn), _seen(view.swapped_out)
    seen = sum(start) | state.pool | state.pile | state.drawn | state.swapped_out
    for card in chain(*chain(*view.sets)):
        seen |= BIT[card]
    unseen = list(cards_of(ALL ^ seen))
    drawn, swapped_out = view.drawn.count(None), view.swapped_out.count(None)
    while True:
        rng.shuffle(unseen)
        deck = iter(unseen)
        hands = [
            cards | mask([next(deck) for _ in range(size - cards.bit_count())])
            for cards, size in zip(start, view.sizes, strict=True)
        ]
        if not any(map(state.alike, hands)):
            break
    state.hands = hands
    state.drawn |= mask([next(deck) for _ in range(drawn)])
    state.swapped_out |= mask([next(deck) for _ in range(swapped_out)])
    # The deck's cards are the last of 52, whatever those before them were.
    left = list(deck)
    state.top = END - len(left)
    state.deck = [*PACK.cards[: state.top], *left]
    # Swapped in, where that is masked: any of the Dealer's cards; as many as fit, the others were
    # in a set.
    state.swapped_in = _seen(view.swapped_in)
    lacking = view.swapped_in.count(None)
    if lacking:
        others = [card for cards in view.sets[view.turn] for card in cards]
        hand = list(cards_of(hands[view.turn]))
        rng.shuffle(hand)
        state.swapped_in = mask((hand + others[::-1])[:lacking])
    state.refresh()


def _seen(cards: see.Masked) -> int:
    return mask([card for card in cards if card is not None])
