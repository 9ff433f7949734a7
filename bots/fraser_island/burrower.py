"""Fraser Island: waits until nobody looks."""

from collections.abc import Sequence

from bots.fraser_island._sight import (
    best_challenge,
    blind,
    fill,
    in_pack,
    keep,
    kinds,
    turns_left,
    unseen,
    watched,
    within_rules,
)
from games.fraser_island.moves import PASS, ROCK
from games.fraser_island.rules import pack_for
from games.fraser_island.tactics import CAUGHT
from games.fraser_island.view import View
from games.fraser_island.worth import PUNISHMENT, worths
from games.game import Action
from harness.bot import Bot, Setup


class Burrower(Bot):
    """Keeps small diamonds as rock, but big ones in hand until nobody can challenge any more."""

    games = ("fraser_island",)
    weight = 0.5

    def __init__(self, setup: Setup, *, odds: int = 65, second: int = 99) -> None:
        """`odds`: the least, in percent, to pay a challenge for; `second`: after a failure."""
        super().__init__(setup)
        rules = setup.rules
        self.odds = (odds / 100, second / 100)
        self.punishment = PUNISHMENT[rules.execution]
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
        ready = found.diamonds
        if watched(view, rules):
            ready = [card for card in ready if self.punishment[card] == CAUGHT]
            if turns_left(view) <= rules.reveal_depth:
                ready = []  # it couldn't be covered before wealth is counted
        if ready:
            return keep(max(ready, key=self.worth), ROCK)
        return fill(found, rules.fee) or keep(min(found.diamonds, key=self.worth), ROCK)
