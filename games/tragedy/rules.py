"""Tragedy: the rules, in the rulebook's order. The page beside this file has them in prose."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from games.cards import STANDARD, Card, mask
from games.chance import Chance
from games.game import (
    Action,
    Game,
    Result,
    State,
    Tactic,
    listening,
    no_counts,
    option,
    places,
    shared,
)
from games.game import Rules as BaseRules
from games.tragedy.actions import (
    DEFENCE,
    DISCARDS,
    GIVES,
    OF_RANK,
    OF_SUIT,
    PICKS,
    RANK,
    SEATS,
    SUIT,
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
    parse,
)
from games.tragedy.imagine import ANSWERING, place
from games.tragedy.view import (
    Attacked,
    Challenged,
    Defended,
    Discarded,
    Drew,
    Inherited,
    Out,
    Passed,
    Reshuffled,
    Shown,
    Took,
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


TACTICS = (
    Tactic("pass", "kept the card drawn, and did nothing"),
    Tactic("attack_match", "attacked with a card of the flaw's suit or rank"),
    Tactic("attack_high", "attacked with a card that ranks above the flaw"),
    Tactic("attack_low", "attacked with a card that ranks below the flaw"),
    Tactic("challenge_right", "named another's flaw"),
    Tactic("challenge_wrong", "named a card that isn't another's flaw"),
    Tactic("defend", "laid two cards against a challenge that was right"),
    Tactic("discard", "discarded a card"),
    Tactic("robbed", "had a card taken by an attack"),
    Tactic("bled_out", "went out by an attack that left it no card, or found none"),
    Tactic("exposed", "was rightly challenged"),
    Tactic("overreached", "went out by a wrong challenge"),
)
(
    PASSED,
    MATCH,
    HIGH,
    LOW,
    RIGHT,
    WRONG,
    DEFENDED,
    DISCARDED,
    ROBBED,
    BLED_OUT,
    EXPOSED,
    OVERREACHED,
) = range(len(TACTICS))

ANSWERED = {"match": MATCH, "high": HIGH, "low": LOW}
"""The tactic of an attack with this answer."""

ANSWER = {
    ace_high: tuple(
        tuple(
            next(said for said in ANSWERED if fits[said][card] >> flaw & 1) for flaw in PACK.cards
        )
        for card in PACK.cards
    )
    for ace_high, fits in ANSWERING.items()
}
"""By `ace_high`, the attack card and the flaw: what must be answered."""

NEXT = tuple(
    tuple(
        next((s % SEATS for s in range(seat + 1, seat + SEATS + 1) if seats >> s % SEATS & 1), seat)
        for seat in range(SEATS)
    )
    for seats in range(1 << SEATS)
)
"""By the seats in the game (a mask) and a seat: the next in the game, to its left."""

new = tuple.__new__
"""Makes a NamedTuple from its values at half the cost of calling it."""


def put(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    """These values, but for one."""
    changed = list(values)
    changed[index] = value
    return tuple(changed)


def lowest(cards: int, ace_high: bool) -> int:
    """Of a mask of cards of one suit, the bit of the lowest, in the order of the rules in force."""
    others = cards & ~OF_RANK[0] if ace_high else cards
    return others & -others or cards


def laid_for(hand: int, card: Card, ace_high: bool) -> int:
    """The two cards of a hand that name `card`, as a mask; 0 if it has no such two.

    A card of its rank, in the lowest suit (C, D, H, S), and a card of its suit, of the lowest
    rank; neither is that card itself, so they are two.
    """
    others = hand & ~(1 << card)
    of_rank = others & OF_RANK[RANK[card]]
    of_suit = others & OF_SUIT[SUIT[card]]
    if not of_rank or not of_suit:
        return 0
    return of_rank & -of_rank | lowest(of_suit, ace_high)


class Tragedy(State):
    """A match. Hands and heaps are masks; what everybody sees is kept as views show it."""

    __slots__ = (
        "answers",
        "attacks",
        "deck",
        "discards",
        "drawn",
        "face_down",
        "flaws",
        "hands",
        "known",
        "known_deck",
        "left",
        "living",
        "out_as",
        "pending",
        "phase",
        "piles",
        "player",
        "public",
        "shown",
        "told",
        "turn",
        "wrong",
    )

    rules: Rules

    def __init__(
        self, rules: Rules, players: int, chance: Chance, listeners: Sequence[int] = ()
    ) -> None:
        """Five cards each, then one more each: the fatal flaw. Seat 0 begins."""
        deck = chance.shuffle("deck", PACK.cards)
        size = rules.hand_size
        dealt = size * players
        self.hands = [mask(deck[seat:dealt:players]) for seat in range(players)]
        self.flaws = list(deck[dealt : dealt + players])
        self.deck = deck
        self.drawn = dealt + players
        self.rules = rules
        self.players = players
        self.chance = chance
        self.living = (1 << players) - 1
        self.player = 0
        self.turn = 0
        self.phase = "turn"
        self.pending: int | None = None
        self.left = 0
        self.discards = 0
        self.face_down = 0
        empty: tuple[Any, ...] = ((),) * players
        self.piles = empty
        self.answers = empty
        self.wrong = empty
        nobody = (None,) * players
        self.public: tuple[Card | None, ...] = nobody
        self.out_as: tuple[int | None, ...] = nobody
        self.attacks = (0,) * players if rules.hidden_attacks else None
        # What each seat knows: by seat, of each hand; and of the deck. `told` has at least all the
        # cards that anybody knows, so that most changes need no look at it; `shown` is `known` as
        # views show it, or None where it has changed.
        self.known: list[list[int]] | None = None
        self.known_deck: list[int] | None = None
        self.told = 0
        self.shown: list[tuple[tuple[Card, ...], ...] | None] = [empty] * players
        self.counts = no_counts(TACTICS, players)
        self.heard = listening(players, listeners)
        self._begin_turn(0)

    def legal(self) -> tuple[Action, ...]:
        """In a turn: pass, attacks, challenges; else the cards of a hand, or defend and yield."""
        seat = self.to_act
        assert seat is not None
        if self.phase == "turn":
            return choices(self.hands[seat], self.living & ~(1 << seat))
        if self.phase == "challenge":
            # There is no choice and no entry where no defence is possible; this is for a state
            # that was imagined by a seat that can't see the hand.
            able = laid_for(self.hands[seat], self.flaws[seat], self.rules.ace_high)
            return DEFENCE if able else DEFENCE[1:]
        if self.phase == "discard":
            return tuple([DISCARDS[card] for card in cards_of(self.hands[seat])])
        if self.phase == "give":
            return tuple([GIVES[card] for card in cards_of(self.hands[seat])])
        assert self.pending is not None
        return tuple([PICKS[card] for card in cards_of(self.hands[self.pending])])

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
        card = self.deck[self.drawn]
        self.drawn += 1
        self.hands[seat] |= 1 << card
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
        self._lay_from(seat, 1 << card)
        answer = ANSWER[self.rules.ace_high][card][self.flaws[target]]
        self.counts[seat][ANSWERED[answer]] += 1
        if self.attacks is None:
            self.piles = put(self.piles, target, (*self.piles[target], (seat, card)))
            self.answers = put(self.answers, target, (*self.answers[target], (card, answer)))
        else:
            self.face_down |= 1 << card
            self.attacks = put(self.attacks, target, self.attacks[target] + 1)
        if self.heard is not None:
            self.tell(Attacked(seat, target, card, answer))
        if answer == "match":
            self._rob(seat, target)
        else:
            self._end_turn()

    def _rob(self, seat: int, target: int) -> None:
        """A match takes cards from the hand; a player who has none left is out."""
        cards = min(self.rules.cards_taken, self.hands[target].bit_count())
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
            self._take(seat, target, card)
        self._robbed(target)

    def _choose(self, card: Card) -> None:
        """The attacker picks a card, or the owner gives one, until all are taken."""
        target = self.pending
        assert target is not None
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
        (of_rank,) = cards_of(bits & OF_RANK[RANK[card]])
        (of_suit,) = cards_of(bits & OF_SUIT[SUIT[card]])
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
        elif self.drawn < len(self.deck):
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
            if self.living >> seat & 1 and self.hands[seat].bit_count() > 1:
                self.pending = self.to_act = seat
                self.left = self.hands[seat].bit_count() // 2
                return
            if seat == last:
                self._new_deck()
                return

    def _discard(self, card: Card) -> None:
        """A card of the player's own choice, unseen."""
        seat = self.pending
        assert seat is not None
        self.counts[seat][DISCARDED] += 1
        self.hands[seat] ^= 1 << card
        self.discards |= 1 << card
        self._forget(seat)
        if self.known_deck is None:
            self.known_deck = [0] * self.players
        self.known_deck[seat] |= 1 << card
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

        Everybody saw the cards of the piles go there, but not those that lay face down.
        """
        laid = mask([card for pile in self.piles for _, card in pile])
        cards = cards_of(self.discards | self.face_down | laid)
        self.deck = self.chance.shuffle("shuffle", cards)
        self.drawn = 0
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

    # --- Cards that change hands, and who knows of it ---------------------------------------------

    def _take(self, seat: int, target: int, card: Card) -> None:
        """A card goes from the target's hand to the attacker's; only these two see which.

        Any card that others knew in that hand may be the one; unless it was the only card there.
        """
        bit = 1 << card
        only = self.hands[target] == bit
        self.hands[target] ^= bit
        self.hands[seat] |= bit
        self.counts[target][ROBBED] += 1
        known = self._knowledge(bit)
        for knower, of in enumerate(known):
            if knower == target:
                of[seat] |= bit
            elif knower == seat:
                of[target] &= ~bit
            else:
                if only:
                    of[seat] |= of[target]
                of[target] = 0
        if self.heard is not None:
            self._tell(Took(seat, target, card), Took(seat, target, None), seat, target)

    def _hand_over(self, giver: int, seat: int) -> None:
        """A whole hand goes to another, and with it what anybody knew to be there."""
        cards = self.hands[giver]
        self.hands[seat] |= cards
        self.hands[giver] = 0
        known = self._knowledge(cards)
        for knower, of in enumerate(known):
            if knower == giver:
                of[seat] |= cards
            elif knower != seat:
                of[seat] |= of[giver]
            of[giver] = 0
        if self.heard is not None:
            seen = Inherited(seat, giver, cards_of(cards))
            self._tell(seen, Inherited(seat, giver, None), seat, giver)

    def _show(self, seat: int, target: int) -> None:
        """The attacker sees the hand, from which it will pick."""
        self._knowledge(self.hands[target])[seat][target] = self.hands[target]
        if self.heard is not None:
            self._tell(Shown(target, cards_of(self.hands[target])), None, seat, seat)

    def _lay_from(self, seat: int, bits: int) -> None:
        """These cards leave the hand, seen by all."""
        self.hands[seat] ^= bits
        if self.told & bits:
            self.told &= ~bits
            for of in self._knowledge(0):
                of[seat] &= ~bits

    def _forget(self, seat: int) -> None:
        """A card left this hand unseen: any that others knew there may be the one."""
        if self.told:
            for of in self._knowledge(0):
                of[seat] = 0

    def _knowledge(self, cards: int) -> list[list[int]]:
        """What each seat knows of each hand, to be changed; it may then have these cards too."""
        self.told |= cards
        self.shown = [None] * self.players
        if self.known is None:
            self.known = [[0] * self.players for _ in range(self.players)]
        return self.known

    def _drawn_from_known(self, seat: int, card: Card) -> None:
        """The player knows what left the deck; for others, it may be any card they knew there."""
        assert self.known_deck is not None
        left = self.known_deck[seat] & ~(1 << card)
        self.known_deck = None
        if left:
            self.known_deck = [left if other == seat else 0 for other in range(self.players)]

    def _tell(self, seen: Any, unseen: Any, one: int, other: int) -> None:
        """Two seats see this, the others that, or nothing (None)."""
        for seat, heard in enumerate(self.heard or ()):
            event = seen if seat in (one, other) else unseen
            if heard is not None and event is not None:
                heard.append(event)

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
        scores = self.scores()
        order = places(scores)
        alone = self.living.bit_count() == 1
        return Result(scores, order, shared(order), "last_player" if alone else "max_turns")

    def out(self) -> tuple[int | None, ...]:
        """The order in which seats went out."""
        return self.out_as

    def standing(self, seat: int) -> int:
        """The cards in the hand, that attack, name and protect; below 0, later better, if out."""
        order = self.out_as[seat]
        return self.hands[seat].bit_count() if order is None else order - self.players

    # --- What can be seen -------------------------------------------------------------------------

    def view(self, seat: int) -> View:
        """What this seat can see."""
        hands = self.hands
        known = self.shown[seat]
        if known is None:
            assert self.known is not None
            known = self.shown[seat] = tuple(map(cards_of, self.known[seat]))
        return new(
            View,
            (
                seat,
                cards_of(hands[seat]),
                self.phase,
                self.turn,
                self.player,
                self.pending,
                self.left,
                self.flaws[seat],
                tuple(map(int.bit_count, hands)),
                len(self.deck) - self.drawn,
                self.piles,
                self.answers,
                self.wrong,
                self.public,
                self.out_as,
                known,
                () if self.known_deck is None else cards_of(self.known_deck[seat]),
                self.attacks,
            ),
        )

    def copy(self) -> "Tragedy":
        """An independent twin that nobody listens to."""
        twin = Tragedy.__new__(Tragedy)
        for name in Tragedy.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.hands = self.hands[:]
        twin.flaws = self.flaws[:]
        twin.shown = self.shown[:]
        twin.known = None if self.known is None else [of[:] for of in self.known]
        twin.known_deck = None if self.known_deck is None else self.known_deck[:]
        twin.rules = self.rules
        twin.players = self.players
        twin.chance = self.chance.copy()
        twin.to_act = self.to_act
        twin.counts = [counts[:] for counts in self.counts]
        twin.heard = None
        return twin

    def cards(self) -> dict[str, tuple[Card, ...]]:
        """Every zone and what is in it."""
        zones: dict[str, tuple[Card, ...]] = {"deck": tuple(self.deck[self.drawn :])}
        for seat in range(self.players):
            zones[f"hand {seat}"] = cards_of(self.hands[seat])
            zones[f"flaw {seat}"] = (self.flaws[seat],)
            # From the top: the last card laid first.
            zones[f"pile {seat}"] = tuple([card for _, card in self.piles[seat][::-1]])
        zones["discards"] = cards_of(self.discards)
        zones["attacks"] = cards_of(self.face_down)
        return zones

    def hidden(self, seat: int) -> dict[str, tuple[Card, ...]]:
        """The deck, other hands and flaws, others' discards and attack cards that lie face down."""
        zones = self.cards()
        known_deck = 0 if self.known_deck is None else self.known_deck[seat]
        hidden = {
            zone: tuple([card for card in zones[zone] if not known_deck >> card & 1])
            for zone in ("deck", "discards")
        }
        hidden["attacks"] = zones["attacks"]
        for other in range(self.players):
            if other != seat:
                known = 0 if self.known is None else self.known[seat][other]
                hidden[f"hand {other}"] = cards_of(self.hands[other] & ~known)
                if self.public[other] is None:
                    hidden[f"flaw {other}"] = zones[f"flaw {other}"]
        return {zone: cards for zone, cards in hidden.items() if cards}

    def exchange(self, zone: str, card: Card, other_zone: str, other: Card) -> None:
        """For tests: two hidden cards change places."""
        self._swap(zone, card, other)
        if other_zone != zone:
            self._swap(other_zone, other, card)

    def _swap(self, zone: str, card: Card, other: Card) -> None:
        word, _, number = zone.partition(" ")
        both = 1 << card ^ 1 << other
        if word == "deck":
            swapped = {card: other, other: card}
            top = [swapped.get(c, c) for c in self.deck[self.drawn :]]
            self.deck, self.drawn = top, 0
        elif word == "discards":
            self.discards = _swapped(self.discards, both)
        elif word == "attacks":
            self.face_down = _swapped(self.face_down, both)
        elif word == "hand":
            self.hands[int(number)] = _swapped(self.hands[int(number)], both)
        else:
            self.flaws[int(number)] = other


def _swapped(cards: int, both: int) -> int:
    """A heap in which one of two cards has taken the other's place, if it didn't have both."""
    return cards if cards & both == both else cards ^ both


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
    state.flaws = placed.flaws
    state.deck = placed.deck
    state.drawn = 0
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
    state.known = [[0] * players for _ in range(players)]
    state.known[view.seat] = [mask(cards) for cards in view.known]
    state.known_deck = [0] * players
    state.known_deck[view.seat] = mask(view.known_deck)
    state.told = mask([card for cards in view.known for card in cards])
    state.shown = [None] * players
    by_phase = {"turn": view.player, "pick": view.player, "over": None}
    state.to_act = by_phase.get(view.phase, view.pending)
    state.counts = no_counts(TACTICS, players)
    state.heard = None
    return state


def _decisions(players: int) -> int:
    return 20 * players


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
)
