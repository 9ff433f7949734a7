"""What the bots of Fraser Island look at: kinds of cards, who could challenge, with what luck."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple

from games.cards import Card
from games.fraser_island.moves import CLAIMS, DIAMOND, GEM, PASS, PLAYS, ROCK, TRUTH, Challenge
from games.fraser_island.rules import Rules
from games.fraser_island.view import View
from games.game import Action

CLUBS, DIAMONDS, HEARTS, SPADES = (slice(first, first + 13) for first in (0, 13, 26, 39))
"""Where each suit's cards stand in a table by card."""

PUBLIC = 0
KEPT_AS = {ROCK: 1, GEM: 2, DIAMOND: 3}
"""The order of a card's plays: to the public pile, or kept under a claim."""


class Kinds(NamedTuple):
    """Cards by kind, each ascending."""

    rocks: list[Card]
    gems: list[Card]
    diamonds: list[Card]


def kinds(cards: Sequence[Card]) -> Kinds:
    """These cards, sorted out."""
    found = Kinds([], [], [])
    for card in cards:
        truth = TRUTH[card]
        (found.rocks if truth == ROCK else found.gems if truth == GEM else found.diamonds).append(
            card
        )
    return found


def share(card: Card) -> Action:
    """Play this card to the public pile."""
    return PLAYS[card][PUBLIC]


def keep(card: Card, claim: str) -> Action:
    """Keep this card and say that it is that."""
    return PLAYS[card][KEPT_AS[claim]]


Act = Callable[[Any, View, Sequence[Action]], Action]


def within_rules(act: Act) -> Act:
    """A bot's `act`, where a variant of the rules may forbid what it wants to do.

    Then the same card is played otherwise, in the order of `legal`: shared before it is kept.
    """

    @wraps(act)
    def allowed(self: Any, view: View, legal: Sequence[Action]) -> Action:
        wanted = act(self, view, legal)
        if wanted in legal:
            return wanted
        card = getattr(wanted, "card", None)
        return next((each for each in legal if getattr(each, "card", None) == card), legal[0])

    return allowed


def fill(found: Kinds, fee: int) -> Action | None:
    """Keeps a gem that isn't needed as a fee, else rock, else the last gem, each under its name.

    Rock is worth nothing, but what lies under it isn't shown, and others' challenges fail on it.
    """
    rocks, gems, _ = found
    if len(gems) > fee or (gems and not rocks):
        return keep(gems[-1], GEM)
    return keep(rocks[0], ROCK) if rocks else None


def turns_left(view: View) -> int:
    """A seat's own turns to come, the present one included."""
    return -(-view.deck // view.out.count(False))


def watched(view: View, rules: Rules) -> bool:
    """Whether anybody else still has the credence to challenge; who has the gems can't be seen."""
    return any(
        failures < rules.failures_allowed and not out and seat != view.seat
        for seat, (failures, out) in enumerate(zip(view.failures, view.out, strict=True))
    )


def clean(view: View, rules: Rules) -> bool:
    """Whether a challenge would show no diamond of this seat's own."""
    return all(TRUTH[card] != DIAMOND for card in view.pile[-rules.reveal_depth :])


# --- A challenge's luck -------------------------------------------------------------------------


def unseen(view: View, whole: Mapping[str, int]) -> dict[str, int]:
    """How many cards of each kind lie where this seat can't see them, of so many in the pack."""
    public = view.public
    left = {
        ROCK: whole[ROCK] - sum(public[CLUBS]) - sum(public[SPADES]),
        GEM: whole[GEM] - sum(public[HEARTS]),
        DIAMOND: whole[DIAMOND] - sum(public[DIAMONDS]),
    }
    for card in view.hand + view.pile:
        left[TRUTH[card]] -= 1
    for seat, pile in enumerate(view.piles):
        if seat != view.seat:
            left[GEM] -= len(view.known[seat])
            for kept in pile:
                if kept.card is not None:
                    left[TRUTH[kept.card]] -= 1
    return left


def in_pack(pack: Sequence[Card]) -> dict[str, int]:
    """How many cards of each kind there are."""
    found = dict.fromkeys(CLAIMS, 0)
    for card in pack:
        found[TRUTH[card]] += 1
    return found


def blind(left: Mapping[str, int]) -> dict[str, float]:
    """The chance that a card that can't be seen is a diamond, whatever was claimed."""
    return dict.fromkeys(CLAIMS, left[DIAMOND] / max(1, sum(left.values())))


def best_challenge(
    view: View, legal: Sequence[Action], rules: Rules, chance: Mapping[str, float]
) -> tuple[Action, float]:
    """The likeliest challenge, and how likely it finds another's diamond; else to pass, and 0.

    `chance` has, by claim, how likely a kept card that nobody has seen is a diamond. A free one
    counts as sure, for nothing can be lost. One that would show a diamond of its own is never made.
    """
    best: Action = PASS
    most = 0.0
    for action in legal:
        if type(action) is not Challenge:
            continue
        target = action.target
        if target is None and not clean(view, rules):
            continue
        miss = 1.0
        for seat in range(len(view.piles)) if target is None else (target,):
            if seat != view.seat:
                for kept in view.piles[seat][-rules.reveal_depth :]:
                    if kept.card is None:
                        miss *= 1 - chance[kept.claim]
        hit = 1 - miss
        if hit and view.free and view.turn != view.seat and target in (None, view.turn):
            hit = 1.0
        if hit > most:
            best, most = action, hit
    return best, most
