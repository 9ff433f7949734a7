"""Fraser Island: what it finds goes under rock."""

from collections.abc import Sequence

from bots.fraser_island._sight import (
    best_challenge,
    blind,
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
from games.fraser_island.moves import ACE, PASS, ROCK
from games.fraser_island.rules import pack_for
from games.fraser_island.view import View
from games.fraser_island.worth import worths
from games.game import Action
from harness.bot import Bot, Setup


class Smuggler(Bot):
    """Keeps diamonds as rock, the dearest first, once its hand has the rock to bury them under."""

    games = ("fraser_island",)
    weight = 0.5

    def __init__(self, setup: Setup, *, cover: int = 3, odds: int = 70, second: int = 95) -> None:
        """`cover`: the cards to have in hand that can lie on top of a diamond.

        `odds`: the least, in percent, to pay a challenge for; `second`: after a failure.
        """
        super().__init__(setup)
        rules = setup.rules
        self.cover = cover
        self.odds = (odds / 100, second / 100)
        self.whole = in_pack(pack_for(rules, setup.players))
        worth = worths(rules.big_diamond, rules.legendary_diamond, rules.gem)
        self.worth = worth.__getitem__

    @within_rules
    def act(self, view: View, legal: Sequence[Action]) -> Action:
        rules = self.setup.rules
        if view.phase != "play":
            action, odds = best_challenge(view, legal, rules, blind(unseen(view, self.whole)))
            enough = self.odds[view.failures[view.seat] > 0]
            return action if odds >= enough or view.phase == "last" else PASS
        found = kinds(view.hand)
        free = not watched(view, rules)
        if found.diamonds:
            time = turns_left(view) > rules.reveal_depth  # to cover it before wealth is counted
            covers = len(found.rocks) + max(0, len(found.gems) - rules.fee)
            if free or (time and covers >= self.cover):
                dearest = max(found.diamonds, key=self.worth)
                if dearest == ACE and rules.execution and not free:
                    return share(ACE)  # it might cost its life
                return keep(dearest, ROCK)
        return fill(found, rules.fee) or share(min(found.diamonds, key=self.worth))
