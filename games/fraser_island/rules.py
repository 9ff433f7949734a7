"""Fraser Island: the rules, in the rulebook's order. The page beside this file has them in prose.

Beside it too: `moves.py`, the cards and what a player may do; `view.py`, what a seat sees and is
told; `table.py`, what lies where; `worth.py`, what cards are worth and bring; `tactics.py`, what is
counted; `imagine.py`, where the cards may be that a seat can't see.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from games.cards import Card
from games.chance import Chance
from games.fraser_island.imagine import placed
from games.fraser_island.moves import (
    DIAMOND,
    DOUBT,
    FIRST_GEM,
    LAST_GEM,
    ONE_PACK,
    PACK,
    PLAYS,
    TWO_PACKS,
    Challenge,
    Pass,
    Play,
    naming,
    parse,
)
from games.fraser_island.table import LAST, NEVER, OVER, PLAY, REST, ROUND, WINDOW, Table, without
from games.fraser_island.tactics import (
    CAUGHT,
    EXECUTED,
    FATES,
    FREE_HIT,
    FREE_MISS,
    HIT,
    MISS,
    PASSED,
    RUINED,
    TACTIC_OF,
    TACTICS,
)
from games.fraser_island.view import (
    SEEN,
    UNSEEN,
    Caught,
    Challenged,
    Drew,
    Passed,
    Played,
    Revealed,
    Settled,
    Turn,
    View,
)
from games.fraser_island.worth import HARMLESS, PUNISHMENT, worths
from games.game import Action, Game, Result, listening, option, places, shared
from games.game import Rules as BaseRules
from games.restrictions import restrictable

# --- What may vary ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Rules(BaseRules):
    """The options of Fraser Island."""

    game: ClassVar[str] = "fraser_island"

    hand_size: int = option(5, range(1, 8))
    """The cards that each player begins with."""
    reveal_depth: int = option(3, range(1, 11))
    """How many cards of a private pile a challenge reveals, from the top."""
    challenge_scope: str = option("all", "all", "target")
    """Who reveals: everybody, or one player whom the challenger names."""
    fee: int = option(1, range(0, 4))
    """The gems that a challenge costs; with 0 it costs nothing, and a failure still credence."""
    failures_allowed: int = option(2, range(1, 6))
    """The failure that makes a person of disrespect."""
    free_on_diamond_claim: bool = option(True, True, False)
    """The first challenge to a card claimed as a diamond costs neither fee nor credence."""
    final_challenges: bool = option(True, True, False)
    """After the last card each player may challenge once more; without, wealth is counted."""
    big_diamond: int = option(50, range(0, 1001))
    """What a jack, queen or king of diamonds is worth, in dollars."""
    legendary_diamond: int = option(100, range(0, 1001))
    """What the ace of diamonds is worth, in dollars."""
    gem: int = option(1, range(0, 1001))
    """What a heart is worth, in dollars."""
    execution: bool = option(True, True, False)
    """Who hid the ace of diamonds is executed; without, the ace is punished as a big diamond."""
    packs: str | int = option("auto", "auto", 1, 2)
    """How many packs; `auto` is one, and two with more than four players."""

    def check_players(self, players: int) -> None:
        """The deal must leave at least one card to draw."""
        cards = len(pack_for(self, players))
        if self.hand_size * players >= cards:
            raise ValueError(
                f"{self.game}: hand_size {self.hand_size} for {players} players leaves no card of"
                f" {cards} to draw"
            )


def pack_for(rules: Rules, players: int) -> Sequence[Card]:
    """With more than four players a second pack is added, without its ace of diamonds."""
    two = players > 4 if rules.packs == "auto" else rules.packs == 2
    return TWO_PACKS if two else ONE_PACK


class FraserIsland(Table):
    """A match: how the table changes."""

    __slots__ = ()

    rules: Rules

    def __init__(
        self, rules: Rules, players: int, chance: Chance, listeners: Sequence[int] = ()
    ) -> None:
        """Each player has so many cards, dealt one at a time from seat 0, which begins."""
        deck = chance.shuffle("deck", pack_for(rules, players))
        dealt = rules.hand_size * players
        hands = [sorted(deck[seat:dealt:players]) for seat in range(players)]
        self._set_up(rules, players, chance, hands, list(deck[: dealt - 1 : -1]))
        self.heard = listening(players, listeners)
        self._begin(0)

    def legal(self) -> tuple[Action, ...]:
        """A turn: by card, ascending, public, then private as rock, gem, diamond.

        A window: `challenge`, or one for each player who may be named, ascending; then `pass`.
        """
        seat = self.to_act
        assert seat is not None
        if self.phase != PLAY:
            if self.rules.challenge_scope == "all":
                return DOUBT
            return naming(self._targets(seat))
        plays: tuple[Play, ...] = ()
        last = None
        for card in self.hands[seat]:
            if card != last:  # with two packs both copies of a card are one choice
                plays += PLAYS[card]
                last = card
        return plays

    def apply(self, action: Action) -> None:
        """In a turn a card is played; in a window a player challenges or passes."""
        if type(action) is Play:
            self._play(action.card, action.claim)
        elif type(action) is Challenge:
            self._challenge(action.target)
        else:
            self._pass()

    # --- A turn -----------------------------------------------------------------------------------

    def _begin(self, seat: int) -> None:
        """A player without a card only draws."""
        self.turn = seat
        self.free = False
        if self.heard is not None:
            self.tell(Turn(seat))
        if self.hands[seat]:
            self.phase = PLAY
            self.to_act = seat
        else:
            self.still = None
            self._draw(seat)

    def _play(self, card: Card, claim: str | None) -> None:
        """A card goes face up to the public pile, or face down on one's own with a claim.

        The claim may be a lie. Of a card that leaves a hand unseen nobody knows which it is, so
        all that was known of that hand may have gone.
        """
        seat = self.turn
        self.hands[seat].remove(card)
        if FIRST_GEM <= card <= LAST_GEM:
            self.gems[seat] -= 1
        self.counts[seat][TACTIC_OF[claim][card]] += 1
        if claim is None:
            self.public[card] += 1
            self.still = None
            if self.known[seat]:
                self.known[seat] = without(self.known[seat], (card,))
        else:
            self.piles[seat] += (card,)
            self.claimed[seat] += (SEEN[claim][card],)
            self.seen[seat] += (UNSEEN[claim],)
            if self.known[seat]:
                self.known[seat] = ()
                self.still = None
            self.free = claim == DIAMOND and self.rules.free_on_diamond_claim
        if self.heard is not None:
            told = Played(seat, card, claim)
            self._tell(seat, told, told if claim is None else Played(seat, None, claim))
        self._draw(seat)

    def _draw(self, seat: int) -> None:
        """Then a card is drawn, and a window of challenges follows; another after the last card."""
        card = self.deck.pop()
        insort(self.hands[seat], card)
        if FIRST_GEM <= card <= LAST_GEM:
            self.gems[seat] += 1
        if self.heard is not None:
            self._tell(seat, Drew(seat, card), Drew(seat, None))
        if self.deck:
            self.phase = WINDOW
        elif self.rules.final_challenges:
            self.phase = LAST
        else:
            self._end("deck")
            return
        self._ask(ROUND[self.players][seat])

    # --- The window of challenges -----------------------------------------------------------------

    def _ask(self, seats: Sequence[int]) -> None:
        """The first of these who may challenge is asked; if nobody may, the window closes.

        Who may: in the game, not disrespected, able to pay the fee or free to challenge; and there
        must be a card that the challenge would reveal.
        """
        if self.rules.challenge_scope == "target":
            for seat in seats:
                if self._targets(seat):
                    self.to_act = seat
                    return
        elif any(self.piles):
            gems, prices = self.gems, self.prices
            if self.free:
                turn = self.turn
                for seat in seats:
                    price = prices[seat]
                    if gems[seat] >= price or (price != NEVER and seat != turn):
                        self.to_act = seat
                        return
            else:
                for seat in seats:
                    if gems[seat] >= prices[seat]:
                        self.to_act = seat
                        return
        if self.phase == LAST:
            self._end("deck")
            return
        after = ROUND[self.players][self.turn]
        self._begin(after[0] if after[0] != self.executed else after[1])

    def _targets(self, seat: int) -> tuple[int, ...]:
        """Whom this seat may name: others with a private pile; while it can't pay, the claimer."""
        price = self.prices[seat]
        if self.gems[seat] >= price:
            return tuple([other for other, pile in enumerate(self.piles) if pile and other != seat])
        if self.free and price != NEVER and seat != self.turn and self.piles[self.turn]:
            return (self.turn,)
        return ()

    def _pass(self) -> None:
        """Nobody else is told: who is asked would tell what that one holds."""
        seat = self.to_act
        assert seat is not None
        self.counts[seat][PASSED] += 1
        if self.heard is not None and (heard := self.heard[seat]) is not None:
            heard.append(Passed(seat))
        self._ask(REST[self.players][self.turn][seat])

    # --- A challenge ------------------------------------------------------------------------------

    def _challenge(self, target: int | None) -> None:
        """All players reveal the top of their private piles, or the one named does.

        One challenge to a card claimed as a diamond is free: the first made by another than the
        claimer; where challenges name a player, the first that names the claimer.
        """
        seat = self.to_act
        assert seat is not None
        free = self.free and seat != self.turn and (target is None or target == self.turn)
        fee: tuple[Card, ...] = ()
        if free:
            self.free = False
        else:
            fee = self._pay(seat)
        self.still = None
        if self.heard is not None:
            self.tell(Challenged(seat, target, fee, free))
        punishment = PUNISHMENT[self.rules.execution]
        offenders = []
        for other in range(self.players) if target is None else (target,):
            if self.piles[other]:
                top = self._reveal(other)
                fate = HARMLESS
                for card in top:
                    if punishment[card] > fate:
                        fate = punishment[card]
                if fate != HARMLESS:
                    offenders.append((other, len(top), fate))
        self._settle(seat, fee, free, bool(offenders))
        for other, shown, fate in offenders:
            self._punish(other, shown, fate)
        self._go_on(seat)

    def _pay(self, seat: int) -> tuple[Card, ...]:
        """The fee is the lowest-ranked gems of the hand. Everybody sees them."""
        number = self.rules.fee
        hand = self.hands[seat]
        first = bisect_left(hand, FIRST_GEM)
        fee = tuple(hand[first : first + number])
        del hand[first : first + number]
        self.gems[seat] -= number
        if self.known[seat]:
            self.known[seat] = without(self.known[seat], fee)
        return fee

    def _reveal(self, seat: int) -> tuple[Card, ...]:
        """The top cards are shown, all if there are fewer. What was seen stays seen."""
        depth = self.rules.reveal_depth
        top = self.piles[seat][-depth:]
        self.seen[seat] = self.seen[seat][:-depth] + self.claimed[seat][-depth:]
        if self.heard is not None:
            self.tell(Revealed(seat, top))
        return top

    def _settle(self, seat: int, fee: tuple[Card, ...], free: bool, hit: bool) -> None:
        """If a diamond was revealed the fee comes back to the hand, where everybody knows it.

        If not, the fee goes to the public pile and the challenger loses credence; the second
        failure makes a person of disrespect, who can't challenge again. Neither if it was free.
        """
        if hit:
            self.counts[seat][FREE_HIT if free else HIT] += 1
            if fee:
                for card in fee:
                    insort(self.hands[seat], card)
                self.gems[seat] += len(fee)
                self.known[seat] = tuple(sorted(self.known[seat] + fee))
        else:
            self.counts[seat][FREE_MISS if free else MISS] += 1
            for card in fee:
                self.public[card] += 1
            if not free:
                self.failures[seat] += 1
                if self.failures[seat] >= self.rules.failures_allowed:
                    self.prices[seat] = NEVER
        if self.heard is not None:
            self.tell(Settled(seat, hit))

    def _punish(self, seat: int, shown: int, fate: int) -> None:
        """The revealed cards of an offender go to the public pile.

        For a big diamond the whole pile is revealed and goes, and an ace of diamonds found there
        counts too. For the ace the offender is executed: the hand goes as well. Of several
        consequences only the gravest applies.
        """
        pile = self.piles[seat]
        counts = self.counts[seat]
        if fate == RUINED:
            punishment = PUNISHMENT[self.rules.execution]
            fate = max([punishment[card] for card in pile])
        counts[CAUGHT] += 1
        if fate != CAUGHT:
            counts[fate] += 1
            shown = len(pile)
        under = len(pile) - shown
        lost = pile[under:]
        self.piles[seat] = pile[:under]
        self.claimed[seat] = self.claimed[seat][:under]
        self.seen[seat] = self.seen[seat][:under]
        hand: tuple[Card, ...] = ()
        if fate == EXECUTED:
            hand = tuple(self.hands[seat])
            self.hands[seat].clear()
            self.gems[seat] = 0
            self.known[seat] = ()
            self.prices[seat] = NEVER
            self.executed = seat
        for card in lost + hand:
            self.public[card] += 1
        if self.heard is not None:
            self.tell(Caught(seat, FATES[fate], lost, hand))

    def _go_on(self, seat: int) -> None:
        """After a challenge the window starts again; the last one goes on where it was.

        But if only one player is left, the game ends at once.
        """
        if self.players == 2 and self.executed is not None:
            self._end("last_player")
        elif self.phase == WINDOW:
            self._ask(ROUND[self.players][self.turn])
        else:
            self._ask(REST[self.players][self.turn][seat])

    # --- The end, and wealth ----------------------------------------------------------------------

    def _end(self, why: str) -> None:
        self.phase = OVER
        self.end = why
        self.free = False
        self.to_act = None

    @property
    def turns(self) -> int:
        """Turns taken: a card is drawn in each."""
        pack = len(pack_for(self.rules, self.players))
        return pack - self.rules.hand_size * self.players - len(self.deck)

    def scores(self) -> tuple[int, ...]:
        """Each private pile's wealth, in dollars; of one who was executed, -1."""
        rules = self.rules
        worth = worths(rules.big_diamond, rules.legendary_diamond, rules.gem)
        wealth = [sum([worth[card] for card in pile]) for pile in self.piles]
        if self.executed is not None:
            wealth[self.executed] = -1
        return tuple(wealth)

    def result(self) -> Result:
        """Most wealth wins; an executed player is last."""
        wealth = self.scores()
        order = places(wealth)
        return Result(wealth, order, shared(order), self.end)

    def standing(self, seat: int) -> int | None:
        """Wealth as it stands."""
        return self.scores()[seat]

    def out(self) -> tuple[int | None, ...]:
        """Whoever was executed; all such are equal."""
        return tuple([0 if seat == self.executed else None for seat in range(self.players)])


@restrictable
def imagine(view: View, rng: Random, rules: Rules) -> FraserIsland:
    """A state in which the view's seat sees just this, and is to act if it may.

    Each placement of the unseen cards is equally likely. Tactics counted so far start afresh. If
    the seat may not act in this window, whoever may in the imagined hands is asked from its start;
    where nobody may, it has closed.
    """
    players = len(view.sizes)
    hands, piles, deck = placed(view, rng, pack_for(rules, players))
    state = FraserIsland.__new__(FraserIsland)
    chance = Chance(PACK, rng.getrandbits(64))
    state._set_up(rules, players, chance, hands, deck)
    state.seen = list(view.piles)
    for seat, pile in enumerate(piles):
        state._restore(seat, pile)
    state.public = list(view.public)
    state.known = list(view.known)
    state.failures = list(view.failures)
    for seat in range(players):
        if view.out[seat]:
            state.executed = seat
        if view.out[seat] or view.failures[seat] >= rules.failures_allowed:
            state.prices[seat] = NEVER
    state.free = view.free
    state.turn = view.turn
    state.phase = view.phase
    if view.phase == PLAY:
        state.to_act = view.turn
    elif view.phase == OVER:
        state._end("last_player" if players == 2 and any(view.out) else "deck")
    else:
        after = ROUND[players][view.turn]
        state._ask((view.seat, *after))
    return state


def _decisions(players: int) -> int:
    """As careful players have them, who are asked in window after window; others have fewer."""
    return (30 if players <= 4 else 40) * players


GAME = Game(
    name="fraser_island",
    title="Fraser Island",
    summary="bluffing miners with hidden hands and piles",
    number=2,
    players=(2, 3, 4, 5, 6, 7, 8),
    usual=3,
    decisions=_decisions,
    pack=PACK,
    rules=Rules,
    state=FraserIsland,
    actions=(Play, Challenge, Pass),
    parse=parse,
    imagine=imagine,
    tactics=TACTICS,
    ends=("deck", "last_player"),
    words=("play", "challenge", "pass"),
)
