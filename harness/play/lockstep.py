"""Plays matches with bots in hosts: many at once in lockstep, through the one match generator.

At each tick every host gets one message with all decisions that wait for its bot, and answers with
one reply. A fault isn't charged before a second look: a fresh host, in which that match alone is
played again up to the fault.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from games.game import Action, State
from harness.entrants import Entrant, bot_folder
from harness.play.faults import Fault
from harness.play.hosts import Broken, Host, Setting, adopt_orphans, fault_of
from harness.play.match import Ended, match
from harness.play.wire import Choices, Shape, Shapes, view_type


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


class Finished(NamedTuple):
    """A match that has ended."""

    match: Match
    ended: Ended
    time_ns: list[int]
    """CPU time of each seat's bot: its share of what its host used a tick."""


class Look(NamedTuple):
    """A second look, for the record."""

    deal: int
    seating: int
    seat: int
    kind: str
    """What the bot seemed to have done."""
    outcome: str
    """`confirmed`, `cleared` (it answered, and that counts), or `unrepeatable`."""


class _Asked(NamedTuple):
    """A decision as it was sent, kept until its match ends so that it can be asked again."""

    seat: int
    seed: int
    view: tuple[Any, ...]
    legal: tuple[Action, ...]
    events: Sequence[Any]


class _Live:
    """A match under way."""

    def __init__(self, number: int, match_: Match, running: Any) -> None:
        self.number = number
        self.match = match_
        self.running = running
        self.time_ns = [0] * match_.state.players
        self.asked: dict[int, list[tuple[_Asked, int]]] = {}
        """By slot, what its host was asked and answered."""


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
        self.waiting: list[tuple[_Live, _Asked]] = []
        self.ended: list[int] = []
        self._fresh_tables()

    def _fresh_tables(self) -> None:
        self.choices = Choices()
        self.shapes = Shapes(self.setting.game.parse)

    def up(self) -> Host | None:
        """The slot's host, started if need be; None where its bot can't be loaded."""
        if self.host is None and self.failed is None:
            self._fresh_tables()
            self.ended = []
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

    def send(self, wanted: Sequence[tuple[int, _Asked]]) -> Any:
        """Asks the host for these decisions, each with its match's number."""
        host = self.up()
        assert host is not None
        kinds: list[str] = []
        news: list[Any] = []
        self.choices.begin(news)
        decisions = [
            (
                number,
                asked.seat,
                asked.seed,
                asked.view,
                self.choices.number(asked.legal, news),
                self.shapes.flatten(asked.events, kinds) if asked.events else (),
            )
            for number, asked in wanted
        ]
        ended, self.ended = self.ended, []
        answered = host.ask(kinds, news, ended, decisions)
        if isinstance(answered, Broken):
            self.host = None
        return answered


class Lockstep:
    """Plays a stream of matches between the bots of some slots."""

    def __init__(self, setting: Setting, slots: Sequence[Slot]) -> None:
        self.setting = setting
        self.slots = slots
        self.looks: list[tuple[int, Look]] = []
        """Second looks, each with its slot's index."""
        self.times: list[tuple[int, int]] = []
        """CPU time of a decision, in nanoseconds, by slot; a tick's decisions share one."""
        self.view = Shape(view_type(setting.game), setting.game.parse)
        self.numbers = 0
        self.live: dict[int, _Live] = {}

    def play(self, matches: Iterable[Match]) -> Iterator[Finished]:
        """Plays them all; they come back as they end."""
        left = iter(matches)
        while True:
            while len(self.live) < self.setting.width and (new := next(left, None)) is not None:
                number = self._number()
                live = _Live(number, new, match(self.setting.game, new.state, new.moves))
                self.live[number] = live
                if (finished := self._go_on(live, None)) is not None:
                    yield finished
            if not self.live:
                return
            for index, slot in enumerate(self.slots):
                waiting, slot.waiting = slot.waiting, []
                if waiting:
                    for live, answer in self._answers(index, slot, waiting):
                        if (finished := self._go_on(live, answer)) is not None:
                            yield finished

    def _number(self) -> int:
        self.numbers += 1
        return self.numbers

    def _go_on(self, live: _Live, answer: Any) -> Finished | None:
        """Sends a match its answer; its next decision waits, or it has ended."""
        try:
            seat, view, legal, events = live.running.send(answer)
        except StopIteration as stop:
            del self.live[live.number]
            for index in set(live.match.slots):
                self.slots[index].ended.append(live.number)
            for slot in self.slots:
                slot.doomed.pop(live.number, None)
            return Finished(live.match, stop.value, live.time_ns)
        asked = _Asked(seat, live.match.seeds[seat], self.view.flatten(view), legal, events)
        self.slots[live.match.slots[seat]].waiting.append((live, asked))
        return None

    # --- One slot's tick --------------------------------------------------------------------------

    def _answers(
        self, index: int, slot: Slot, waiting: list[tuple[_Live, _Asked]]
    ) -> list[tuple[_Live, Any]]:
        """An action or a fault for each of these decisions, in order."""
        answers: dict[int, Any] = {}
        todo = waiting
        while todo := [(live, a) for live, a in todo if live.number not in slot.doomed]:
            host = slot.up()
            self._note_loading(index, slot, *todo[0])
            if host is None:
                answers |= {live.number: slot.failed for live, _ in todo}
                break
            before = host.cpu_seconds()
            answered = slot.send([(live.number, asked) for live, asked in todo])
            if isinstance(answered, Broken):
                culprit, asked = todo.pop(answered.at)
                answers[culprit.number] = self._look(index, slot, culprit, asked, answered.fault)
                self._bring_up_to_date(index, slot)
                continue
            share = int((host.cpu_seconds() - before) * 1e9 / len(todo))
            self.times.append((index, share))
            codes, texts = answered
            said = iter(texts)
            # All answers are taken before any fault is looked at: that may cost the host.
            taken = [
                (live, asked, self._taken(index, live, asked, code, share, said))
                for (live, asked), code in zip(todo, codes, strict=True)
            ]
            for live, asked, answer in taken:
                answers[live.number] = answer
                if isinstance(answer, Fault):
                    verdict = self._look(index, slot, live, asked, answer)
                    answers[live.number] = verdict
                    if not isinstance(verdict, Fault):
                        self._begin_anew(index, slot, live)
            break
        answers |= {n: fault for n, fault in slot.doomed.items() if n not in answers}
        return [(live, answers[live.number]) for live, _ in waiting]

    def _taken(
        self, index: int, live: _Live, asked: _Asked, code: int, share: int, said: Iterator[str]
    ) -> Action | Fault:
        """What an answer means: one of the legal actions, or what seems to be a fault."""
        live.time_ns[asked.seat] += share
        if not 0 <= code < len(asked.legal):
            return fault_of(code, next(said, "") if code < 0 else "")
        if live.time_ns[asked.seat] > 1e9 * self.setting.budgets.match_seconds:
            return self._too_long()
        live.asked.setdefault(index, []).append((asked, code))
        return asked.legal[code]

    def _too_long(self) -> Fault:
        budget = self.setting.budgets.match_seconds
        return Fault("timeout", f"more than {budget:g} s of CPU time in one match")

    def _note_loading(self, index: int, slot: Slot, live: _Live, asked: _Asked) -> None:
        for outcome in slot.loadings:
            look = Look(live.match.deal, live.match.seating, asked.seat, "load", outcome)
            self.looks.append((index, look))
        slot.loadings.clear()

    # --- A second look ----------------------------------------------------------------------------

    def _look(self, index: int, slot: Slot, live: _Live, asked: _Asked, fault: Fault) -> Any:
        """What a fresh host says to this match alone: the fault to charge, or an action."""
        if not slot.entrant.bot.reproducible:
            live.asked.pop(index, None)
            return fault
        solo = Slot(self.setting, slot.entrant, slot.folder)
        try:
            verdict = self._verdict(solo, live, live.asked.get(index, []), asked, fault)
        finally:
            solo.down()
        if isinstance(verdict, Fault):
            live.asked.pop(index, None)
            outcome = "unrepeatable" if verdict.kind == "unrepeatable" else "confirmed"
        else:
            outcome = "cleared"
            code = asked.legal.index(verdict)
            live.asked.setdefault(index, []).append((asked, code))
        look = Look(live.match.deal, live.match.seating, asked.seat, fault.kind, outcome)
        self.looks.append((index, look))
        return verdict

    def _verdict(
        self,
        solo: Slot,
        live: _Live,
        before: list[tuple[_Asked, int]],
        asked: _Asked,
        fault: Fault,
    ) -> Any:
        if solo.up() is None:
            return solo.failed
        for earlier, code in before:
            again = solo.send([(0, earlier)])
            if isinstance(again, Broken) or again[0] != [code]:
                return Fault(
                    "unrepeatable",
                    f"after {fault.kind} ({fault.detail}): asked again, it answered an earlier"
                    " decision otherwise",
                )
        again = solo.send([(0, asked)])
        if isinstance(again, Broken):
            return again.fault
        [code], texts = again
        if not 0 <= code < len(asked.legal):
            return fault_of(code, texts[0] if texts else "")
        host = solo.host
        spent = 0.0 if host is None else host.cpu_seconds() - host.cpu_loaded
        if spent > self.setting.budgets.match_seconds:
            return self._too_long()
        if fault == self._too_long():
            live.time_ns[asked.seat] = int(spent * 1e9)
        return asked.legal[code]

    # --- Bringing a fresh host up to date ---------------------------------------------------------

    def _bring_up_to_date(self, index: int, slot: Slot) -> None:
        """Asks a fresh host again all that the last one had answered in matches under way.

        A match in which it answers otherwise, or breaks, is doomed: its fault is charged at the
        bot's next decision in it. Each new start dooms one more match, so this comes to an end.
        """
        while slot.up() is not None:
            for live in self.live.values():
                if live.number in slot.doomed or not live.asked.get(index):
                    continue
                fault = self._repeat(index, slot, live)
                if fault is not None:
                    slot.doomed[live.number] = fault
                if slot.host is None:
                    slot.doomed.setdefault(live.number, Fault("unrepeatable", "it ended its host"))
                    break
            else:
                return

    def _begin_anew(self, index: int, slot: Slot, live: _Live) -> None:
        """Has the host make a match's bot again, since it had failed in there."""
        if slot.host is not None:
            slot.ended.append(live.number)
            fault = self._repeat(index, slot, live)
            if fault is not None:
                slot.doomed[live.number] = fault
            if slot.host is None:
                self._bring_up_to_date(index, slot)

    def _repeat(self, index: int, slot: Slot, live: _Live) -> Fault | None:
        """Asks a match's decisions again; `unrepeatable` where the answers differ."""
        for asked, code in live.asked.get(index, []):
            again = slot.send([(live.number, asked)])
            if isinstance(again, Broken) or (slot.entrant.bot.reproducible and again[0] != [code]):
                return Fault("unrepeatable", "in a fresh host it answered otherwise")
        return None


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
