"""Plays matches with bots in hosts: many at once in lockstep, through the one match generator.

At each tick every host gets one message with all decisions that wait for its bot, and answers with
one reply. A fault isn't charged before a second look: a fresh host, in which that match alone is
played again up to the fault.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from games.game import Action, State
from harness.entrants import Entrant, bot_folder
from harness.play.faults import Fault
from harness.play.hosts import Answers, Broken, Host, Setting, adopt_orphans, fault_of
from harness.play.match import Decision, Ended, match
from harness.play.wire import Convert, Numbers, view_type


class Match(NamedTuple):
    """A match to be played: its name in the chunk, its state, and who sits where."""

    deal: int
    seating: int
    order: tuple[int, ...]
    """By seat, the index of its entrant."""
    state: State
    slots: tuple[int, ...]
    """By seat, the slot whose host plays it."""
    seeds: Sequence[int]
    moves: list[str] | None
    """Gets the record's entries, where they are wanted."""
    again: Callable[[], State]
    """Makes the state of the beginning once more."""


class Finished(NamedTuple):
    """A match that has ended."""

    match: Match
    ended: Ended
    time_ns: list[int]
    """CPU time of each seat's bot: its share of what its host used a tick."""
    answers: Sequence[Action]
    """What was answered, in order, but for a fault at its end."""


class Look(NamedTuple):
    """A second look, for the record."""

    deal: int
    seating: int
    seat: int
    kind: str
    """What the bot seemed to have done."""
    outcome: str
    """`confirmed`, `cleared` (it answered, and that counts), or `unrepeatable`."""


class _Live:
    """A match under way."""

    __slots__ = ("answers", "match", "number", "send", "time_ns")

    def __init__(self, number: int, match_: Match, send: Callable[[Any], Decision]) -> None:
        self.number = number
        self.match = match_
        self.send = send
        self.time_ns = [0] * match_.state.players
        self.answers: list[Action] = []


Waiting = tuple[_Live, Decision]
"""A match that waits for an answer to this."""


class Slot:
    """One bot in one seat: its host, and what is needed to bring another up to date."""

    def __init__(self, setting: Setting, entrant: Entrant, folder: str | None) -> None:
        self.setting = setting
        self.entrant = entrant
        self.folder = folder
        self.host: Host | None = None
        self.failed: Fault | None = None
        """Why the bot can't be loaded: one confirmed failure holds for all its matches."""
        self.doomed: dict[int, Fault] = {}
        """Faults that are charged at a match's next decision."""
        self.loadings: list[str] = []
        """The outcomes of second looks at its loading."""
        self.peak_mb = 0.0
        self.waiting: list[Waiting] = []
        self._fresh_tables()

    def _fresh_tables(self) -> None:
        self.ended: list[int] = []
        """Matches of which the host has yet to hear that they are over."""
        self.begun: set[int] = set()
        """Matches that the host has heard of."""
        self.numbers = Numbers()
        self.view = self.numbers.fields(view_type(self.setting.game))
        self.kinds: dict[type, tuple[int, Convert]] = {}
        """Types of events, each with its number and how it is made plain."""

    def up(self) -> Host | None:
        """The slot's host, started if need be; None where its bot can't be loaded."""
        if self.host is None and self.failed is None:
            self._fresh_tables()
            host = Host(self.setting, self.entrant, self.folder)
            if host.loaded is not None:
                host.kill()
                host = Host(self.setting, self.entrant, self.folder)
                self.loadings.append("cleared" if host.loaded is None else "confirmed")
            if host.loaded is not None:
                host.kill()
                self.failed = host.loaded
            else:
                self.host = host
        return self.host

    def down(self) -> None:
        """Ends the host."""
        if self.host is not None:
            self.peak_mb = max(self.peak_mb, self.host.peak_mb())
            self.host.kill()
            self.host = None

    def send(self, wanted: Sequence[Waiting]) -> Answers | Broken:
        """Asks the host for all these decisions in one message."""
        host = self.up()
        assert host is not None
        kinds: list[str] = []
        news = self.numbers.begin()
        ended, self.ended = self.ended, []
        self.begun.difference_update(ended)
        numbers = [live.number for live, _ in wanted]
        begun = [
            (live.number, decision[0], live.match.seeds[decision[0]])
            for live, decision in wanted
            if live.number not in self.begun
        ]
        self.begun.update(numbers)
        heard = [
            (i, [self._plain(event, kinds) for event in decision[3]])
            for i, (_, decision) in enumerate(wanted)
            if decision[3]
        ]
        view, choice = self.view, self.numbers.choice
        views = [view(decision[1]) for _, decision in wanted]
        choices = [choice(decision[2]) for _, decision in wanted]
        request = (kinds, news, ended, begun, heard, numbers, views, choices)
        answered = host.ask(request, len(wanted))
        if isinstance(answered, Broken):
            self.host = None
        return answered

    def _plain(self, event: Any, kinds: list[str]) -> tuple[int, Any]:
        """An event as its type's number and plain data; names of new types are added to `kinds`."""
        kind = type(event)
        known = self.kinds.get(kind)
        if known is None:
            known = self.kinds[kind] = (len(self.kinds), self.numbers.fields(kind))
            kinds.append(f"{kind.__module__}:{kind.__qualname__}")
        return known[0], known[1](event)


class Lockstep:
    """Plays a stream of matches between the bots of some slots."""

    def __init__(self, setting: Setting, slots: Sequence[Slot]) -> None:
        self.setting = setting
        self.slots = slots
        self.looks: list[tuple[int, Look]] = []
        """Second looks, each with its slot's index."""
        self.times: list[tuple[int, int]] = []
        """CPU time of a decision, in nanoseconds, by slot; a tick's decisions share one."""
        self.live: dict[int, _Live] = {}

    def play(self, matches: Iterable[Match]) -> Iterator[Finished]:
        """Plays them all; they come back as they end."""
        numbered = enumerate(matches)
        game, slots = self.setting.game, self.slots
        while True:
            while len(self.live) < self.setting.width and (new := next(numbered, None)) is not None:
                live = _Live(*new, match(game, new[1].state, new[1].moves).send)
                self.live[live.number] = live
                if (finished := self._go_on(live, None)) is not None:
                    yield finished
            if not self.live:
                return
            # The longest queue first: so that messages are few, and large.
            index = max(range(len(slots)), key=lambda i: len(slots[i].waiting))
            waiting, slots[index].waiting = slots[index].waiting, []
            answers = self._answers(index, slots[index], waiting)
            for (live, _), answer in zip(waiting, answers, strict=True):
                if (finished := self._go_on(live, answer)) is not None:
                    yield finished

    def _go_on(self, live: _Live, answer: Any) -> Finished | None:
        """Sends a match its answer; its next decision waits, or it has ended."""
        try:
            decision = live.send(answer)
        except StopIteration as stop:
            return self._over(live, stop.value)
        self.slots[live.match.slots[decision[0]]].waiting.append((live, decision))
        return None

    def _over(self, live: _Live, ended: Ended) -> Finished:
        del self.live[live.number]
        for index in live.match.slots:
            self.slots[index].ended.append(live.number)
            self.slots[index].doomed.pop(live.number, None)
        return Finished(live.match, ended, live.time_ns, live.answers)

    # --- One slot's tick --------------------------------------------------------------------------

    def _answers(self, index: int, slot: Slot, waiting: Sequence[Waiting]) -> Sequence[Any]:
        """An action or a fault for each of these decisions, in order."""
        answers: dict[int, Any] = {}
        todo = list(waiting)
        while todo := [each for each in todo if each[0].number not in slot.doomed]:
            host = slot.up()
            self._note_loading(index, slot, *todo[0])
            if host is None:
                answers |= {live.number: slot.failed for live, _ in todo}
                break
            before = host.cpu_seconds()
            answered = slot.send(todo)
            if isinstance(answered, Broken):
                culprit, decision = todo.pop(answered.at)
                answers[culprit.number] = self._look(index, slot, culprit, decision, answered.fault)
                self._bring_up_to_date(index, slot)
                continue
            share = int((host.cpu_seconds() - before) * 1e9 / len(todo))
            self.times.append((index, share))
            # All answers are taken before any fault is looked at: that may cost the host.
            taken, suspects = self._taken(todo, *answered, share)
            if not suspects and len(todo) == len(waiting):
                return taken
            answers |= {live.number: one for (live, _), one in zip(todo, taken, strict=True)}
            for live, decision in suspects:
                seeming = answers[live.number]
                verdict = answers[live.number] = self._look(index, slot, live, decision, seeming)
                if not isinstance(verdict, Fault):
                    self._begin_anew(index, slot, live, decision[0])
            break
        answers |= {n: fault for n, fault in slot.doomed.items() if n not in answers}
        return [answers[live.number] for live, _ in waiting]

    def _taken(
        self, asked: Sequence[Waiting], codes: Sequence[int], texts: Sequence[str], share: int
    ) -> tuple[list[Action | Fault], list[Waiting]]:
        """What each answer means: one of the legal actions, or what seems to be a fault; and those
        of the latter.
        """
        allowed = 1e9 * self.setting.budgets.match_seconds
        said = iter(texts)
        taken: list[Action | Fault] = []
        suspects: list[Waiting] = []
        for each, code in zip(asked, codes, strict=True):
            live, decision = each
            seat, _, legal, _ = decision
            spent = live.time_ns[seat] = live.time_ns[seat] + share
            if 0 <= code < len(legal) and spent <= allowed:
                action = legal[code]
                live.answers.append(action)
                taken.append(action)
                continue
            suspects.append(each)
            if 0 <= code < len(legal):
                taken.append(self._too_long())
            else:
                taken.append(fault_of(code, next(said, "") if code < 0 else ""))
        return taken, suspects

    def _too_long(self) -> Fault:
        budget = self.setting.budgets.match_seconds
        return Fault("timeout", f"more than {budget:g} s of CPU time in one match")

    def _note_loading(self, index: int, slot: Slot, live: _Live, decision: Decision) -> None:
        for outcome in slot.loadings:
            look = Look(live.match.deal, live.match.seating, decision[0], "load", outcome)
            self.looks.append((index, look))
        slot.loadings.clear()

    # --- A second look ----------------------------------------------------------------------------

    def _look(self, index: int, slot: Slot, live: _Live, decision: Decision, fault: Fault) -> Any:
        """What a fresh host says to this match alone: the fault to charge, or an action."""
        if not slot.entrant.bot.reproducible:
            return fault
        solo = Slot(self.setting, slot.entrant, slot.folder)
        try:
            verdict = self._verdict(solo, live, decision, fault)
        finally:
            solo.down()
        if isinstance(verdict, Fault):
            outcome = "unrepeatable" if verdict.kind == "unrepeatable" else "confirmed"
        else:
            outcome = "cleared"
            live.answers.append(verdict)
        look = Look(live.match.deal, live.match.seating, decision[0], fault.kind, outcome)
        self.looks.append((index, look))
        return verdict

    def _verdict(self, solo: Slot, live: _Live, decision: Decision, fault: Fault) -> Any:
        seat, _, legal, _ = decision
        if solo.up() is None:
            return solo.failed
        for earlier, code in self._history(live, seat):
            again = solo.send([(live, earlier)])
            if isinstance(again, Broken) or again[0] != [code]:
                return Fault(
                    "unrepeatable",
                    f"after {fault.kind} ({fault.detail}): asked again, it answered an earlier"
                    " decision otherwise",
                )
        again = solo.send([(live, decision)])
        if isinstance(again, Broken):
            return again.fault
        [code], texts = again
        if not 0 <= code < len(legal):
            return fault_of(code, texts[0] if texts else "")
        host = solo.host
        spent = 0.0 if host is None else host.cpu_seconds() - host.cpu_loaded
        if spent > self.setting.budgets.match_seconds:
            return self._too_long()
        if fault == self._too_long():
            live.time_ns[seat] = int(spent * 1e9)
        return legal[code]

    # --- Bringing a fresh host up to date ---------------------------------------------------------

    def _bring_up_to_date(self, index: int, slot: Slot) -> None:
        """Asks a fresh host again all that the last one had answered in matches under way.

        A match in which it answers otherwise, or breaks, is doomed: its fault is charged at the
        bot's next decision in it. Each new start dooms one more match, so this comes to an end.
        """
        while slot.up() is not None:
            for live in self.live.values():
                seat = live.match.slots.index(index)
                if live.number in slot.doomed:
                    continue
                fault = self._repeat(slot, live, seat)
                if fault is not None:
                    slot.doomed[live.number] = fault
                if slot.host is None:
                    slot.doomed.setdefault(live.number, Fault("unrepeatable", "it ended its host"))
                    break
            else:
                return

    def _begin_anew(self, index: int, slot: Slot, live: _Live, seat: int) -> None:
        """Has the host make a match's bot again, since it had failed in there."""
        if slot.host is not None:
            slot.ended.append(live.number)
            fault = self._repeat(slot, live, seat)
            if fault is not None:
                slot.doomed[live.number] = fault
            if slot.host is None:
                self._bring_up_to_date(index, slot)

    def _repeat(self, slot: Slot, live: _Live, seat: int) -> Fault | None:
        """Asks a match's decisions again; `unrepeatable` where the answers differ."""
        for decision, code in self._history(live, seat):
            again = slot.send([(live, decision)])
            if isinstance(again, Broken) or (slot.entrant.bot.reproducible and again[0] != [code]):
                return Fault("unrepeatable", "in a fresh host it answered otherwise")
        return None

    def _history(self, live: _Live, seat: int) -> Iterator[tuple[Decision, int]]:
        """What a seat was asked so far in a match, each with the index that it answered.

        The match is played again for it: to keep every view for the few that are asked twice would
        cost more time than all the rest.
        """
        again = match(self.setting.game, live.match.again())
        answer: Any = None
        for following in live.answers:
            decision = again.send(answer)
            if decision[0] == seat:
                yield decision, decision[2].index(following)
            answer = following


@contextmanager
def hosting(
    setting: Setting, entrants: Sequence[Entrant], failed: dict[str, Fault]
) -> Iterator[Lockstep]:
    """Hosts for these entrants, one a slot, started as they are needed and all ended with it.

    `failed` has, by version, the entrants that can't be loaded; those that turn out so are added.
    """
    adopt_orphans()
    slots = [Slot(setting, entrant, bot_folder(entrant)) for entrant in entrants]
    for slot in slots:
        slot.failed = failed.get(slot.entrant.version)
    try:
        yield Lockstep(setting, slots)
    finally:
        for slot in slots:
            slot.down()
            if slot.failed is not None:
                failed[slot.entrant.version] = slot.failed
