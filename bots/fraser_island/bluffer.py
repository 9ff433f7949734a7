"""Fraser Island: nobody can tell what it does next, for it draws lots."""

from collections.abc import Sequence

from bots.fraser_island._sight import (
    best_challenge,
    blind,
    clean,
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
from games.fraser_island.moves import DIAMOND, GEM, PASS, ROCK
from games.fraser_island.rules import pack_for
from games.fraser_island.view import View
from games.fraser_island.worth import worths
from games.game import Action
from harness.bot import Bot, Setup


class Bluffer(Bot):
    """Draws lots: when to keep a diamond, what to call it, and when to call rock a diamond."""

    games = ("fraser_island",)
    weight = 0.6

    def __init__(
        self, setup: Setup, *, smuggle: int = 50, false: int = 30, bait: int = 15, odds: int = 70
    ) -> None:
        """Chances in percent: to keep a diamond in a turn, to call it a gem, to call rock a diamond
        while nothing would be found; and what a challenge must promise, give or take 10.
        """
        super().__init__(setup)
        rules = setup.rules
        self.smuggle = smuggle
        self.false = false
        self.bait = bait
        self.odds = odds
        self.whole = in_pack(pack_for(rules, setup.players))
        worth = worths(rules.big_diamond, rules.legendary_diamond, rules.gem)
        self.worth = worth.__getitem__

    @within_rules
    def act(self, view: View, legal: Sequence[Action]) -> Action:
        rules = self.setup.rules
        if view.phase != "play":
            action, odds = best_challenge(view, legal, rules, blind(unseen(view, self.whole)))
            enough = (self.odds + self.rng.randint(-10, 10)) / 100
            return action if odds >= enough or view.phase == "last" else PASS
        found = kinds(view.hand)
        if found.diamonds:
            time = turns_left(view) > rules.reveal_depth  # to cover it before wealth is counted
            if not watched(view, rules) or (time and self.lot(self.smuggle)):
                dearest = max(found.diamonds, key=self.worth)
                return keep(dearest, GEM if self.lot(self.false) else ROCK)
        if found.rocks and clean(view, rules) and self.lot(self.bait):
            return keep(found.rocks[0], DIAMOND)  # a free challenge shows the others' cards too
        return fill(found, rules.fee) or share(min(found.diamonds, key=self.worth))

    def lot(self, percent: int) -> bool:
        """Drawn so often in a hundred times."""
        return self.rng.randrange(100) < percent
