"""Where the cards may be that a seat of Fraser Island can't see."""

from collections.abc import Iterable, Sequence
from random import Random

from games.cards import Card
from games.fraser_island.view import View


def unseen(view: View, pack: Sequence[Card]) -> list[Card]:
    """The cards of the pack that the view doesn't show, ascending."""
    left = list(pack)
    for card in _shown(view):
        left.remove(card)
    return left


def _shown(view: View) -> Iterable[Card]:
    yield from view.hand
    yield from view.pile
    for card, count in enumerate(view.public):
        yield from [Card(card)] * count
    for seat, (pile, known) in enumerate(zip(view.piles, view.known, strict=True)):
        if seat != view.seat:
            yield from (kept.card for kept in pile if kept.card is not None)
            yield from known


def placed(
    view: View, rng: Random, pack: Sequence[Card]
) -> tuple[list[list[Card]], list[tuple[Card, ...]], list[Card]]:
    """Hands, private piles and deck, with each placement of the unseen cards equally likely.

    A shuffle of them fills the places. What players claimed, and who did or didn't challenge,
    makes no placement likelier: to weigh that is a bot's own business.
    """
    left = unseen(view, pack)
    rng.shuffle(left)
    hands, piles = [], []
    for seat, pile in enumerate(view.piles):
        if seat == view.seat:
            hands.append(list(view.hand))
            piles.append(view.pile)
            continue
        known = view.known[seat]
        hands.append(sorted([*known, *(left.pop() for _ in range(view.sizes[seat] - len(known)))]))
        piles.append(tuple([left.pop() if kept.card is None else kept.card for kept in pile]))
    return hands, piles, left
