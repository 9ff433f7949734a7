"""Forest Fox: what each card does in a trick, as tables, so that looking ahead only looks up."""

from functools import cache

from games.cards import Card
from games.forest_fox.rules import FOX, OF_SUIT, PACK, RANK, SUIT, TAKES, answers


@cache
def played(fox: bool) -> list[list[tuple[Card, Card]]]:
    """By decree and the card played: the card as it counts, and the decree after it."""
    return [
        [(decree, card) if fox and RANK[card] == FOX else (card, decree) for card in PACK.cards]
        for decree in PACK.cards
    ]


@cache
def may_answer(monarch: bool) -> list[tuple[int, dict[int, int]]]:
    """By the card on the table: its suit, and by the cards of it that the answerer has, those that
    it may play; 0 where it has none, and may play any. All are masks.
    """
    found = []
    for table in PACK.cards:
        suit = OF_SUIT[SUIT[table]]
        low = suit & -suit
        held = [low * some for some in range(1 << 5)]
        found.append((suit, {hand: answers(hand, table, monarch) for hand in held}))
    return found


@cache
def replies(fox: bool, triumph: bool) -> list[list[list[tuple[bool, Card]]]]:
    """By decree, the card on the table and the answer from the hand: whether it takes the trick,
    and the decree after it.
    """
    return [
        [
            [
                (TAKES[triumph][SUIT[after]][table][counted], after)
                for counted, after in played(fox)[decree]
            ]
            for table in PACK.cards
        ]
        for decree in PACK.cards
    ]
