"""Fraser Island: keeps the miners' agreement, as the rulebook tells it."""

from collections.abc import Sequence

from bots.fraser_island._sight import keep, kinds, share, within_rules
from games.fraser_island.moves import CHALLENGE, GEM, NAMED, PASS, ROCK
from games.fraser_island.view import View
from games.game import Action
from harness.bot import Bot


class HonestMiner(Bot):
    """Shares every diamond, keeps its gems, never lies, and challenges only where that is free."""

    games = ("fraser_island",)
    weight = 0.2

    @within_rules
    def act(self, view: View, legal: Sequence[Action]) -> Action:
        if view.phase != "play":
            free = view.free and view.turn != view.seat
            wanted = (CHALLENGE, NAMED[view.turn], PASS) if free else (PASS,)
            return next(action for action in wanted if action in legal)
        rocks, gems, diamonds = kinds(view.hand)
        if diamonds:
            return share(diamonds[-1])
        return keep(gems[-1], GEM) if gems else keep(rocks[0], ROCK)
