"""Fraser Island, for `search`: miners who count what is hidden, and where diamonds lie."""

from collections.abc import Sequence
from random import Random
from typing import Any

from bots._playouts import Known, Policy
from games.fraser_island.moves import DIAMOND, GEM, PASS, PLAYS, ROCK, TRUTH
from games.fraser_island.rules import pack_for
from games.fraser_island.table import NEVER, PLAY, WINDOW
from games.fraser_island.tactics import CAUGHT
from games.fraser_island.worth import PUNISHMENT, worths
from games.game import Action
from harness.bot import Setup

CAUTION = 0.7
"""How likely a big diamond imagined in a pile is rather still in the hand."""
ODDS = 0.65
"""A challenge is promising where it finds a diamond with this probability."""
CALM = 0.2
"""How often a player passes whatever it sees."""
BURIES = 0.2
"""How often big diamonds are kept as well, if there is rock to lay on top."""


def policy(setup: Setup) -> Policy:
    """Keeps its gems and small diamonds, and big ones where nobody can challenge, now and then to
    bury them; challenges where enough lies hidden.
    """
    claims = {"rock": 1, "gem": 2, "diamond": 1}
    quiet: list[Action] = [PLAYS[card][claims[kind]] for card, kind in enumerate(TRUTH)]
    diamond = [kind == DIAMOND for kind in TRUTH]
    rules = setup.rules
    depth = rules.reveal_depth
    punishment = PUNISHMENT[rules.execution]
    small = [is_one and punishment[card] == CAUGHT for card, is_one in enumerate(diamond)]
    worth = worths(rules.big_diamond, rules.legendary_diamond, rules.gem).__getitem__
    pack = pack_for(rules, setup.players)
    diamonds_in_pack = sum([diamond[card] for card in pack])
    all_show = rules.challenge_scope == "all"
    few = min(3, depth * (setup.players - 1 if all_show else 1))
    spare = rules.failures_allowed - 1  # the last failure is kept for the end

    def unseen(state: Any, other: int) -> int:
        """How many of the cards that a challenge shows of a pile nobody has seen."""
        hidden = 0
        for kept in state.seen[other][-depth:]:
            if kept.card is None:
                hidden += 1
        return hidden

    def promising(state: Any, seat: int) -> bool:
        """Whether a challenge shows none of its own diamonds, and enough that nobody has seen."""
        free = state.free and state.turn != seat
        if not free and state.phase == WINDOW and state.failures[seat] >= spare:
            return False
        if all_show:
            for card in state.piles[seat][-depth:]:
                if diamond[card]:
                    return False
        others = [unseen(state, other) for other in range(state.players) if other != seat]
        hidden = sum(others) if all_show else max(others)
        if free or state.phase != WINDOW:
            return hidden > 0
        if hidden < few:
            return False
        public, hand = state.public, state.hands[seat]
        left = diamonds_in_pack - sum(public[13:26]) - sum([diamond[card] for card in hand])
        share = left / (len(pack) - sum(public) - len(hand))
        return bool((1 - share) ** hidden < 1 - ODDS)

    def choose(state: Any, rng: Random) -> Action:
        if state.phase != PLAY:
            if rng.random() < CALM or not promising(state, state.to_act):
                return PASS
            legal: Sequence[Any] = state.legal()
            choice: Action = legal[int(rng.random() * (len(legal) - 1))]
            if not all_show and len(legal) > 1:
                choice = max(legal[:-1], key=lambda action: unseen(state, action.target))
            return choice
        seat = state.turn
        hand: list[int] = state.hands[seat]
        luck = rng.random()
        if luck < 0.05:
            return PLAYS[hand[int(20 * luck * len(hand))]][int(rng.random() * 4)]
        rocks = [card for card in hand if TRUTH[card] == ROCK]
        gems = [card for card in hand if TRUTH[card] == GEM]
        diamonds = [card for card in hand if diamond[card]]
        if diamonds:
            ready: Sequence[int] = diamonds
            for other, price in enumerate(state.prices):
                if price != NEVER and other != seat:  # it may be seen
                    time = len(state.deck) > depth * state.players  # to cover it before the end
                    bury = luck < BURIES and len(rocks) + len(gems) >= depth
                    ready = [card for card in diamonds if time and (bury or small[card])]
                    break
            if ready:
                return quiet[max(ready, key=worth)]
        if gems and (len(gems) > rules.fee or not rocks):
            return quiet[gems[-1]]
        return quiet[rocks[0] if rocks else min(diamonds, key=worth)]

    return choose


def believe(state: Any, seat: int, rng: Random) -> None:
    """Others hold on to most of their big diamonds as long as there are turns to come."""
    punishment = PUNISHMENT[state.rules.execution]

    if len(state.deck) < 2 * state.players:
        return
    for other, seen in enumerate(state.seen):
        for card, kept in zip(state.piles[other], seen, strict=True):
            hidden = other != seat and kept.card is None and TRUTH[card] == DIAMOND
            if hidden and punishment[card] != CAUGHT and rng.random() < CAUTION:
                held = [
                    one
                    for one in state.hands[other]
                    if TRUTH[one] != DIAMOND and one not in state.known[other]
                ]
                if held:
                    into = held[int(rng.random() * len(held))]
                    state.exchange(f"pile {other}", card, f"hand {other}", into)


KNOWN = Known(policy, decisions=400, scale=20.0, believe=believe)
