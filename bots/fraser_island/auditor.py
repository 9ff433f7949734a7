"""Fraser Island: does the sums of what has been claimed."""

from collections import Counter
from collections.abc import Sequence

from bots.fraser_island._sight import (
    best_challenge,
    fill,
    in_pack,
    keep,
    kinds,
    share,
    turns_left,
    unseen,
    watched,
    within_rules,
)
from games.fraser_island.moves import DIAMOND, PASS, ROCK
from games.fraser_island.rules import pack_for
from games.fraser_island.tactics import CAUGHT
from games.fraser_island.view import View
from games.fraser_island.worth import PUNISHMENT, worths
from games.game import Action
from harness.bot import Bot, Setup


class Auditor(Bot):
    """Counts which claims can't be true, and shares whatever could ruin itself."""

    games = ("fraser_island",)
    weight = 0.8

    def __init__(self, setup: Setup, *, odds: int = 90) -> None:
        """`odds`: the least, in percent, to pay a challenge for."""
        super().__init__(setup)
        rules = setup.rules
        self.odds = odds / 100
        self.whole = in_pack(pack_for(rules, setup.players))
        worth = worths(rules.big_diamond, rules.legendary_diamond, rules.gem)
        self.worth = worth.__getitem__

    @within_rules
    def act(self, view: View, legal: Sequence[Action]) -> Action:
        rules = self.setup.rules
        if view.phase != "play":
            action, odds = best_challenge(view, legal, rules, self.doubts(view))
            return action if odds >= self.odds or view.phase == "last" else PASS
        found = kinds(view.hand)
        if found.diamonds:
            dearest = max(found.diamonds, key=self.worth)
            if not watched(view, rules):
                return keep(dearest, ROCK)
            if PUNISHMENT[rules.execution][dearest] > CAUGHT:
                return share(dearest)
            if turns_left(view) > rules.reveal_depth:
                return keep(dearest, ROCK)
        return fill(found, rules.fee) or share(found.diamonds[0])

    def doubts(self, view: View) -> dict[str, float]:
        """By claim, how likely a card kept under it is a diamond.

        As if players kept what they say or a diamond; and more, where more cards have been claimed
        than are left to make the claims true. What is called a diamond is bait every other time.
        """
        left = unseen(view, self.whole)
        made = Counter(
            kept.claim
            for seat, pile in enumerate(view.piles)
            if seat != view.seat
            for kept in pile
            if kept.card is None
        )
        diamonds = left[DIAMOND]
        found = {
            claim: max(diamonds / max(1, left[claim] + diamonds), 1 - left[claim] / number)
            for claim, number in made.items()
        }
        found[DIAMOND] = min(0.5, diamonds / max(1, made[DIAMOND]))
        return found
