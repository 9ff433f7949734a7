"""Burrower: a baseline for Fraser Island."""

from collections.abc import Sequence

from games.cards import Card
from games.fraser_island.moves import DIAMOND, GEM, PASS, PLAYS, TRUTH, Challenge
from games.fraser_island.rules import pack_for
from games.fraser_island.view import View
from games.fraser_island.worth import worths
from games.game import Action
from harness.bot import Bot, Setup

PUBLIC, AS_ROCK, AS_GEM, AS_DIAMOND = range(4)
"""The order of a card's plays."""
FIRST, AFTER = 13, 26
"""The diamonds among the cards."""


class Burrower(Bot):
    """Holds its diamonds until nobody can challenge or time is short; challenges at good odds."""

    games = ("fraser_island",)
    weight = 0.5

    def __init__(self, setup: Setup, *, patience: int = 0, odds: int = 70) -> None:
        """`patience`: turns to wait at the end beyond one a diamond; `odds`: the least, in percent,
        with which a challenge is paid for.
        """
        super().__init__(setup)
        rules = setup.rules
        self.patience = patience
        self.odds = odds / 100
        self.depth = rules.reveal_depth
        self.worth = worths(rules.big_diamond, rules.legendary_diamond, rules.gem)
        self.pack = pack_for(rules, setup.players)
        self.diamonds = sum([TRUTH[card] == DIAMOND for card in self.pack])

    def act(self, view: View, legal: Sequence[Action]) -> Action:
        if view.phase == "play":
            return self.play(view)
        return self.doubt(view, legal)

    # --- A turn -----------------------------------------------------------------------------------

    def play(self, view: View) -> Action:
        """Diamonds go under rock when that is safe or time runs out; until then rock and gems do.

        Rock is kept, not shared: it covers what lies under it, and makes others' challenges fail.
        """
        worth = self.worth.__getitem__
        hand = view.hand
        diamonds = [card for card in hand if FIRST <= card < AFTER]
        if diamonds:
            alive = view.out.count(False)
            turns = -(-view.deck // alive)
            if turns <= len(diamonds) + self.patience or not self.watched(view):
                return PLAYS[max(diamonds, key=worth)][AS_ROCK]
        gems = [card for card in hand if TRUTH[card] == GEM]
        if len(gems) > self.setup.rules.fee:
            return PLAYS[gems[-1]][AS_GEM]
        rocks = [card for card in hand if TRUTH[card] == "rock"]
        if rocks:
            return PLAYS[rocks[0]][AS_ROCK]
        if gems:
            return PLAYS[gems[-1]][AS_GEM]
        return PLAYS[min(diamonds, key=worth)][AS_ROCK]

    def watched(self, view: View) -> bool:
        """Whether anybody else might challenge."""
        allowed = self.setup.rules.failures_allowed
        return any(
            failures < allowed and not out and seat != view.seat
            for seat, (failures, out) in enumerate(zip(view.failures, view.out, strict=True))
        )

    # --- A window ---------------------------------------------------------------------------------

    def doubt(self, view: View, legal: Sequence[Action]) -> Action:
        """Challenges where a diamond of another is likely, and none of its own would be shown."""
        diamonds, cards = self.unseen(view)
        chance = diamonds / cards if cards else 0.0
        free = view.free and view.turn != view.seat
        best: Action = PASS
        least = self.odds
        for action in legal:
            if type(action) is Challenge:
                if action.target is None:
                    if any(FIRST <= card < AFTER for card in view.pile[-self.depth :]):
                        return PASS
                    shown = sum([self.covered(view, seat) for seat in range(len(view.sizes))])
                else:
                    shown = self.covered(view, action.target)
                hit = 1 - (1 - chance) ** shown
                if free and action.target in (None, view.turn):
                    hit += 1  # nothing can be lost
                if shown and hit >= least:
                    best, least = action, hit
        return best

    def covered(self, view: View, seat: int) -> int:
        """How many cards a challenge would show of this seat's pile that weren't seen before."""
        if seat == view.seat:
            return 0
        return sum([kept.card is None for kept in view.piles[seat][-self.depth :]])

    def unseen(self, view: View) -> tuple[int, int]:
        """How many diamonds, and cards, are where this seat can't see them.

        None of others' revealed cards is a diamond: those have gone to the public pile.
        """
        seat = view.seat
        own: list[Card] = [*view.hand, *view.pile]
        diamonds = self.diamonds - sum(view.public[FIRST:AFTER])
        diamonds -= sum([FIRST <= card < AFTER for card in own])
        cards = view.deck
        for other, pile in enumerate(view.piles):
            if other != seat:
                cards += view.sizes[other] - len(view.known[other])
                cards += sum([kept.card is None for kept in pile])
        return diamonds, cards
