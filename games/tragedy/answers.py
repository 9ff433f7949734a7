"""What must be answered to an attack, and what flaws an answer leaves."""

from games.cards import Card
from games.tragedy.actions import ALL, OF_RANK, OF_SUIT, PACK, RANK, SUIT

MATCHING = tuple(OF_RANK[rank] | OF_SUIT[suit] for rank, suit in zip(RANK, SUIT, strict=True))
"""By an attack card, the flaws that it matches: those of its suit and those of its rank."""


def above(card: Card, ace_high: bool) -> int:
    """The mask of the cards that rank above this one: ranks run 2 to A, or A to K."""
    height = _height(RANK[card], ace_high)
    return sum(OF_RANK[rank] for rank in range(13) if _height(rank, ace_high) > height)


def _height(rank: int, ace_high: bool) -> int:
    return 13 if ace_high and rank == 0 else rank


ANSWERING = {
    ace_high: {
        "match": MATCHING,
        "high": tuple(ALL & ~above(card, ace_high) & ~MATCHING[card] for card in PACK.cards),
        "low": tuple(above(card, ace_high) & ~MATCHING[card] for card in PACK.cards),
    }
    for ace_high in (True, False)
}
"""By `ace_high`, the answer and the attack card, the mask of the flaws that give that answer.

If the card has the flaw's suit or rank, it matches. Otherwise the answer says whether the attack
card ranks above the flaw (`high`) or below it (`low`).
"""

ANSWER = {
    ace_high: tuple(
        tuple(next(said for said in fits if fits[said][card] >> flaw & 1) for flaw in PACK.cards)
        for card in PACK.cards
    )
    for ace_high, fits in ANSWERING.items()
}
"""By `ace_high`, the attack card and the flaw: what must be answered."""
