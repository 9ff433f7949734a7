"""Tragedy: the rules, in the rulebook's order. The page beside this file has them in prose."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, ClassVar

from games.cards import BIT, STANDARD, Card, mask
from games.chance import Chance
from games.game import (
    Action,
    Game,
    Result,
    listening,
    no_counts,
    option,
    places,
    shared,
)
from games.game import Rules as BaseRules
from games.restrictions import restrictable
from games.tragedy.actions import (
    ALL,
    DEFENCE,
    OTHERS_OF_RANK,
    OTHERS_OF_SUIT,
    SEATS,
    Attack,
    Challenge,
    Defend,
    Discard,
    Give,
    Pass,
    Pick,
    Yield,
    cards_of,
    choices,
    discards_of,
    gives_of,
    laid_for,
    parse,
    picks_of,
)
from games.tragedy.answers import ANSWER
from games.tragedy.imagine import place
from games.tragedy.table import Table, put
from games.tragedy.tactics import (
    ANSWERED,
    BLED_OUT,
    DEFENDED,
    DISCARDED,
    EXPOSED,
    OVERREACHED,
    PASSED,
    RIGHT,
    ROBBED,
    TACTICS,
    WRONG,
)
from games.tragedy.view import (
    Attacked,
    Challenged,
    Defended,
    Discarded,
    Drew,
    Out,
    Passed,
    Reshuffled,
    View,
    Yielded,
)

PACK = STANDARD

# --- What may vary --------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Rules(BaseRules):
    """The options of Tragedy. All of them can be dealt, with any number of players."""

    game: ClassVar[str] = "tragedy"

    hand_size: int = option(5, range(2, 8))
    """The cards dealt to each player, besides the fatal flaw."""
    ace_high: bool = option(True, True, False)
    """The ace ranks above the king; without, below the 2."""
    hidden_attacks: bool = option(False, False, True)
    """The printed variant: attack cards, once answered, go face down to a pile that nobody may
    look at, so that what was answered must be remembered."""
    cards_taken: int = option(1, range(1, 4))
    """The cards that an attack that matches takes, one after the other, as far as there are any."""
    take: str = option("random", "random", "attacker", "owner")
    """Who chooses the card taken: chance; the attacker, who is shown the hand; its owner."""
    wrong_challenge: str = option("out", "out", "hand")
    """What a wrong challenge costs: the game, with the hand; or only the hand."""
    defence: bool = option(False, False, True)
    """A player rightly challenged may lay a card of its flaw's rank and another of its suit, and
    so stay in the game."""
    max_turns: int = option(300, range(1, 10001))
    """After so many turns the players left share the win."""


NEXT = tuple(
    tuple(
        next((s % SEATS for s in range(seat + 1, seat + SEATS + 1) if seats >> s % SEATS & 1), seat)
        for seat in range(SEATS)
    )
    for seats in range(1 << SEATS)
)
"""By the seats in the game (a mask) and a seat: the next in the game, to its left."""


class Tragedy(Table):
    """A match: its turns, and who wins. The cards, and what is seen of them, are the table's."""

    __slots__ = ()

    rules: Rules

    def __init__(
        self, rules: Rules, players: int, chance: Chance, listeners: Sequence[int] = ()
    ) -> None:
        """Five cards each, then one more each: the fatal flaw. Seat 0 begins."""
        deck = chance.shuffle("deck", PACK.cards)
        size = rules.hand_size
        dealt = size * players
        self.hands = [mask(deck[seat:dealt:players]) for seat in range(players)]
        self.sizes = [size] * players
        self.flaws = list(deck[dealt : dealt + players])
        self.deck = list(deck[: dealt + players - 1 : -1])
        self.rules = rules
        self.players = players
        self.chance = chance
        self.living = (1 << players) - 1
        self.player = 0
        self.turn = 0
        self.phase = "turn"
        self.pending = None
        self.left = 0
        self.discards = 0
        self.face_down = 0
        empty: tuple[Any, ...] = ((),) * players
        self.piles = empty
        self.answers = empty
        self.wrong = empty
        nobody = (None,) * players
        self.public = nobody
        self.out_as = nobody
        self.attacks = (0,) * players if rules.hidden_attacks else None
        self.known = [0] * players
        self.known_deck = None
        self.told = 0
        self.shown = [empty] * players
        self.counts = no_counts(TACTICS, players)
        self.heard = listening(players, listeners)
        self._begin_turn(0)

    def legal(self) -> tuple[Action, ...]:
        """In a turn: pass, attacks, challenges; else the cards of a hand, or defend and yield."""
        seat = self.to_act
        assert seat is not None
        if self.phase == "turn":
            return choices(self.hands[seat], self.living ^ BIT[seat])
        if self.phase == "challenge":
            return DEFENCE
        if self.phase == "discard":
            return discards_of(self.hands[seat])
        if self.phase == "give":
            return gives_of(self.hands[seat])
        assert self.pending is not None
        return picks_of(self.hands[self.pending])

    def apply(self, action: Any) -> None:
        """Does what the seat to act has chosen."""
        kind = type(action)
        if kind is Attack:
            self._attack(self.player, action.card, action.target)
        elif kind is Pass:
            self._pass(self.player)
        elif kind is Challenge:
            self._challenge(self.player, action.card, action.target)
        elif kind is Discard:
            self._discard(action.card)
        elif kind is Defend:
            self._defend()
        elif kind is Yield:
            self._yield()
        else:
            self._choose(action.card)

    # --- A turn: draw a card, then pass, attack or challenge --------------------------------------

    def _begin_turn(self, seat: int) -> None:
        """The player draws a card."""
        card = self.deck.pop()
        self.hands[seat] |= BIT[card]
        self.sizes[seat] += 1
        if self.known_deck is not None:
            self._drawn_from_known(seat, card)
        self.turn += 1
        self.player = self.to_act = seat
        if self.heard is not None:
            self._tell(Drew(seat, card), Drew(seat, None), seat, seat)

    def _pass(self, seat: int) -> None:
        """The drawn card stays in the hand."""
        self.counts[seat][PASSED] += 1
        if self.heard is not None:
            self.tell(Passed(seat))
        self._end_turn()

    # --- Attack -----------------------------------------------------------------------------------

    def _attack(self, seat: int, card: Card, target: int) -> None:
        """Lays a card in front of another player, who must tell the truth: the engine answers."""
        self._lay_from(seat, BIT[card])
        answer = ANSWER[self.rules.ace_high][card][self.flaws[target]]
        self.counts[seat][ANSWERED[answer]] += 1
        if self.attacks is None:
            self.piles = put(self.piles, target, (*self.piles[target], (seat, card)))
            self.answers = put(self.answers, target, (*self.answers[target], (card, answer)))
        else:
            self.face_down |= BIT[card]
            self.attacks = put(self.attacks, target, self.attacks[target] + 1)
        if self.heard is not None:
            self.tell(Attacked(seat, target, card, answer))
        if answer == "match":
            self._rob(seat, target)
        else:
            self._end_turn()

    def _rob(self, seat: int, target: int) -> None:
        """A match takes cards from the hand; a player who has none left is out."""
        cards = min(self.rules.cards_taken, self.sizes[target])
        if cards and self.rules.take != "random":
            self.pending = target
            self.left = cards
            if self.rules.take == "owner":
                self.phase = "give"
                self.to_act = target
            else:
                self.phase = "pick"
                self._show(seat, target)
            return
        for _ in range(cards):
            (card,) = self.chance.take("take", cards_of(self.hands[target]), 1)
            self.counts[target][ROBBED] += 1
            self._take(seat, target, card)
        self._robbed(target)

    def _choose(self, card: Card) -> None:
        """The attacker picks a card, or the owner gives one, until all are taken."""
        target = self.pending
        assert target is not None
        self.counts[target][ROBBED] += 1
        self._take(self.player, target, card)
        self.left -= 1
        if not self.left:
            self.pending = None
            self.phase = "turn"
            self._robbed(target)

    def _robbed(self, target: int) -> None:
        if not self.hands[target]:
            self.counts[target][BLED_OUT] += 1
            self._go_out(target)
        self._end_turn()

    # --- Challenge --------------------------------------------------------------------------------

    def _challenge(self, seat: int, card: Card, target: int) -> None:
        """Lays a card of the supposed flaw's rank and one of its suit, and names it."""
        rules = self.rules
        laid = self._lay_two(seat, card, target)
        right = self.flaws[target] == card
        if self.heard is not None:
            self.tell(Challenged(seat, target, card, right, laid))
        if not right:
            self._challenged_wrongly(seat, card, target)
            return
        self.counts[seat][RIGHT] += 1
        self.counts[target][EXPOSED] += 1
        self.public = put(self.public, target, card)
        if rules.defence and laid_for(self.hands[target], card, rules.ace_high):
            self.pending = target
            self.phase = "challenge"
            self.to_act = target
        else:
            self._expose(seat, target)

    def _expose(self, seat: int, target: int) -> None:
        """Right: the challenged player's hand goes to the challenger, and it is out."""
        self._hand_over(target, seat)
        self._go_out(target)
        self._end_turn()

    def _challenged_wrongly(self, seat: int, card: Card, target: int) -> None:
        """The challenger's hand goes to the player challenged, and the challenger is out."""
        self.counts[seat][WRONG] += 1
        if card not in self.wrong[target]:
            self.wrong = put(self.wrong, target, (*self.wrong[target], card))
        self._hand_over(seat, target)
        if self.rules.wrong_challenge == "out":
            self.counts[seat][OVERREACHED] += 1
            self._go_out(seat)
        self._end_turn()

    def _defend(self) -> None:
        """Lays two cards in front of itself; the flaw stays as it is, and both play on."""
        target = self._answered()
        self.counts[target][DEFENDED] += 1
        laid = self._lay_two(target, self.flaws[target], target)
        if self.heard is not None:
            self.tell(Defended(target, laid))
        self._end_turn()

    def _yield(self) -> None:
        target = self._answered()
        if self.heard is not None:
            self._tell(Yielded(target), None, target, target)
        self._expose(self.player, target)

    def _answered(self) -> int:
        target = self.pending
        assert target is not None
        self.pending = None
        self.phase = "turn"
        return target

    def _lay_two(self, seat: int, card: Card, target: int) -> tuple[Card, Card]:
        """Lays, in front of `target`, the two cards that name `card`: of its rank, of its suit."""
        bits = laid_for(self.hands[seat], card, self.rules.ace_high)
        self._lay_from(seat, bits)
        of_rank = Card((bits & OTHERS_OF_RANK[card]).bit_length() - 1)
        of_suit = Card((bits & OTHERS_OF_SUIT[card]).bit_length() - 1)
        pile = (*self.piles[target], (seat, of_rank), (seat, of_suit))
        self.piles = put(self.piles, target, pile)
        return of_rank, of_suit

    # --- Out --------------------------------------------------------------------------------------

    def _go_out(self, seat: int) -> None:
        """A player who is out turns the flaw face up; it stays out of play."""
        gone = self.players - self.living.bit_count()
        self.out_as = put(self.out_as, seat, gone)
        self.living ^= 1 << seat
        self.public = put(self.public, seat, self.flaws[seat])
        if self.heard is not None:
            self.tell(Out(seat, self.flaws[seat]))

    # --- The end of a turn ------------------------------------------------------------------------

    def _end_turn(self) -> None:
        """The next player's turn, unless the game is over or the draw deck has run out."""
        living = self.living
        if not living & (living - 1) or self.turn == self.rules.max_turns:
            self.to_act = None
            self.phase = "over"
        elif self.deck:
            self._begin_turn(NEXT[living][self.player])
        else:
            self.phase = "discard"
            self._next_discards(self.player)

    def _next_discards(self, seat: int) -> None:
        """From the next seat round, each player discards half of its hand, rounded down.

        The round begins at the seat whose turn ended, even if it just went out.
        """
        last = self.player
        while True:
            # One step at a time, so that the end of the round isn't missed where `last` is out.
            seat = (seat + 1) % self.players
            if self.living >> seat & 1 and self.sizes[seat] > 1:
                self.pending = self.to_act = seat
                self.left = self.sizes[seat] // 2
                return
            if seat == last:
                self._new_deck()
                return

    def _discard(self, card: Card) -> None:
        """A card of the player's own choice, unseen."""
        seat = self.pending
        assert seat is not None
        self.counts[seat][DISCARDED] += 1
        self._discard_from(seat, card)
        if self.heard is not None:
            self._tell(Discarded(seat, card), Discarded(seat, None), seat, seat)
        self.left -= 1
        if self.left:
            return
        if seat == self.player:
            self._new_deck()
        else:
            self._next_discards(seat)

    def _new_deck(self) -> None:
        """The discards, and all cards laid, are shuffled; the piles are then empty.

        As the draw deck has run out, that is all but the hands and the flaws.
        Everybody saw the cards of the piles go there, but not those that lay face down.
        """
        heap = ALL - sum(self.hands) - mask(self.flaws)
        laid = heap & ~(self.discards | self.face_down)
        cards = cards_of(heap)
        self.deck = list(self.chance.shuffle("shuffle", cards)[::-1])
        before = self.known_deck or [0] * self.players
        self.known_deck = [known | laid for known in before]
        self.discards = self.face_down = 0
        self.piles = ((),) * self.players
        if self.attacks is not None:
            self.attacks = (0,) * self.players
        self.pending = None
        self.left = 0
        self.phase = "turn"
        if self.heard is not None:
            self.tell(Reshuffled(len(cards)))
        self._begin_turn(NEXT[self.living][self.player])

    # --- The score --------------------------------------------------------------------------------

    @property
    def turns(self) -> int:
        """Turns taken: a turn counts once it is chosen what to do in it."""
        return self.turn - (self.phase == "turn")

    def scores(self) -> tuple[int, ...]:
        """The players that were out before this one; for those in the game, all others."""
        last = self.players - 1
        return tuple([last if order is None else order for order in self.out_as])

    def result(self) -> Result:
        """The last player in the game wins; after `max_turns`, those left share the win."""
        return judged(self.scores(), self.living.bit_count() == 1)

    def out(self) -> tuple[int | None, ...]:
        """The order in which seats went out."""
        return self.out_as

    def standing(self, seat: int) -> int:
        """The cards in the hand, that attack, name and protect; below 0, later better, if out."""
        order = self.out_as[seat]
        return self.sizes[seat] if order is None else order - self.players


@cache
def judged(scores: tuple[int, ...], alone: bool) -> Result:
    """The result for these scores, with one player left in the game or with more."""
    order = places(scores)
    return Result(scores, order, shared(order), "last_player" if alone else "max_turns")


@restrictable
def imagine(view: View, rng: Random, rules: Rules) -> Tragedy:
    """A state that a view may belong to, each placement of the unseen cards equally likely.

    What others know of each other's hands, and the tactics counted so far, start afresh.
    """
    placed = place(view, rng, rules.ace_high)
    players = len(view.sizes)
    state = Tragedy.__new__(Tragedy)
    state.rules = rules
    state.players = players
    state.chance = Chance(PACK, rng.getrandbits(64))
    state.hands = placed.hands
    state.sizes = list(view.sizes)
    state.flaws = placed.flaws
    state.deck = placed.deck[::-1]
    state.discards = placed.discards
    state.face_down = placed.attacks
    state.living = sum(1 << seat for seat in range(players) if view.out[seat] is None)
    state.player = view.player
    state.turn = view.turn
    state.phase = view.phase
    state.pending = view.pending
    state.left = view.left
    state.piles = view.piles
    state.answers = view.answers
    state.wrong = view.wrong
    state.public = view.flaws
    state.out_as = view.out
    state.attacks = view.attacks
    state.known = [0] * players
    state.known[view.seat] = state.told = mask([card for cards in view.known for card in cards])
    state.known_deck = [0] * players
    state.known_deck[view.seat] = mask(view.known_deck)
    state.shown = [None] * players
    by_phase = {"turn": view.player, "pick": view.player, "over": None}
    state.to_act = by_phase.get(view.phase, view.pending)
    state.counts = no_counts(TACTICS, players)
    state.heard = None
    return state


def _decisions(players: int) -> int:
    return 12 * players


GAME = Game(
    name="tragedy",
    title="Tragedy",
    summary="deduction and elimination for two to six",
    number=1,
    players=(2, 3, 4, 5, 6),
    usual=4,
    decisions=_decisions,
    pack=PACK,
    rules=Rules,
    state=Tragedy,
    actions=(Pass, Attack, Challenge, Pick, Give, Discard, Defend, Yield),
    parse=parse,
    imagine=imagine,
    tactics=TACTICS,
    ends=("last_player", "max_turns"),
    words=("pass", "attack", "challenge", "pick", "give", "discard", "defend", "yield"),
    stalls=("max_turns",),
)
