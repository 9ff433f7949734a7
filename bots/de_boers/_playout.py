"""De Boers, for `search`: a player who draws, fights for the last turn, and robs the rich."""

from collections.abc import Sequence
from random import Random
from typing import Any

from bots._playouts import Known, Policy
from games.de_boers.steals import CALL, DIAMOND, DRAW, SUIT
from games.game import Action
from harness.bot import Setup

STEALS = 16
"""So many steals are looked at,"""
LOOKS = 0.05
"""in so many turns in which one may draw;"""
PREY = 5.0
"""then it robs for more than so many diamonds."""
DELAYS = 0.8
"""How often a turn is passed on for the sake of the last one."""


def policy(setup: Setup) -> Policy:
    """Draws while the mine lasts, but for rich prey, or to pass the last card on; then robs the
    rich. Of the steals a few are looked at, by what their player can know.
    """
    players, rules = setup.players, setup.rules

    def expected(state: Any, seat: int) -> list[float]:
        """The diamonds that each seat may have for this one: those known, its share of the rest."""
        least, sizes = state.least, state.sizes
        known = sum(least) - least[seat]
        unseen = len(state.mine) + sum(sizes) - sizes[seat] - known
        found = state.diamonds[seat].bit_count() + known
        if rules.stockpiling:
            found += sum([SUIT[card] == DIAMOND for cards in state.laid for card in cards])
        share = max(0, 13 - found) / max(1, unseen)
        return [few + share * (size - few) for few, size in zip(least, sizes, strict=True)]

    def best(state: Any, steals: Sequence[Any], most: float, rng: Random) -> Action | None:
        """The steal that brings more than so many diamonds, and most of those looked at."""
        choice: Action | None = None
        if steals:
            holds, lays, number = expected(state, state.turn), state.lays, len(steals)
            for _ in range(STEALS):
                action = steals[int(rng.random() * number)]
                gain = 0.0
                for victim, owed in zip(action.victims, lays[action.cards][3], strict=True):
                    has = holds[victim]
                    gain += owed if owed < has else has
                if gain > most:
                    most, choice = gain, action
        return choice

    def choose(state: Any, rng: Random) -> Action:
        if state.stockpile is not None:
            legal: Sequence[Action] = state.legal()
            return CALL if CALL in legal else legal[0]
        left = len(state.mine)
        # With as many cards left as players, or one less, a turn that doesn't draw may make the
        # last turn one's own.
        ending = rules.last_turns > 0 and 1 < left <= players <= left + 1
        if left and not ending and rng.random() > LOOKS:
            return DRAW
        legal = state.legal()
        steals: Sequence[Any] = legal[1:]
        if ending:
            if rng.random() > DELAYS:
                return legal[0]
            steals = [action for action in steals if len(action.cards) == 2]
        return best(state, steals, PREY if left and not ending else 0, rng) or legal[0]

    return choose


KNOWN = Known(policy, decisions=400, scale=2.0)
