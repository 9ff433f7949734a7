"""Plays a plan: what of it is stored already, what comes next, and what counts in the end."""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from harness.attempts import Attempt
from harness.play.chunk import schema
from harness.play.tables import Chunk
from harness.schedule import RoundRobin, Rounds, Schedule
from harness.store import BadChunk, Store, write_manifest
from harness.tournament import Plan, PlannedContest, Run, now
from harness.workers import Done

FAULTS_TO_SUSPEND = 3
"""So many faults of a bot in one chunk suspend it at that table, from the next chunk on."""

NOTED = 10.0
"""Seconds between two writings of the manifest while a run is played."""

Priced = Callable[[int, Chunk], float]
"""The estimated seconds of a chunk of the contest with this index, on one worker."""

Reacting = Callable[[PlannedContest], Schedule]
"""Makes the schedule of a contest that reacts to results."""

REACTING = ("adaptive", "staged")
"""The schedules whose makers look at results: whoever plays them brings them."""


class Suspended(NamedTuple):
    """From a chunk on, a table is out of a contest."""

    first: int
    """Of the chunk whose faults did it."""
    last: int
    bots: list[str]


def suspends(faulted: Mapping[str, int]) -> list[str]:
    """The bots that these faults of one chunk, by label, suspend."""
    return sorted(label for label, faults in faulted.items() if faults >= FAULTS_TO_SUSPEND)


class Course:
    """One contest under way: what its schedule asked for, and what of that is stored."""

    def __init__(
        self,
        contest: PlannedContest,
        schedule: Schedule,
        look: Callable[[PlannedContest, Chunk], Mapping[str, int] | None],
        priced: Callable[[Chunk], float],
    ) -> None:
        self.contest = contest
        self.schedule = schedule
        self.look = look
        self.priced = priced
        self.order: list[Chunk] = []
        """All that was asked for, in order."""
        self.asked: list[Chunk] = []
        """By the schedule's last answer."""
        self.queue: deque[Chunk] = deque()
        """What is to be played and not yet given out."""
        self.under_way: set[str] = set()
        self.stored: set[str] = set()
        self.suspended: dict[str, Suspended] = {}
        """By table key."""
        self.stopped: dict[str, int] = {}
        """By table key, the first deal that a fault of the machine kept from being played."""
        self.over = False
        self.reused = 0
        self.left = 0
        """Matches in the queue; `reused` counts matches too."""
        self.spent = 0.0
        """The estimated seconds of what was given out."""

    def survey(self) -> None:
        """Asks the schedule for all that it can say now; one that never ends, until it asks for
        chunks of which none is stored.
        """
        if self.schedule.reacts:
            self.fill()
            return
        while not self.over:
            before = self.reused
            self._ask()
            if self.schedule.endless and self.reused == before:
                return

    def fill(self) -> None:
        """Asks until there is something to play, or it must wait, or is over."""
        while True:
            while self.queue and not self.counts(self.queue[0]):
                self._pop()
            if self.queue or self.over or (self.schedule.reacts and self.under_way):
                return
            self._ask()

    def _ask(self) -> None:
        self.asked = list(self.schedule.next([chunk for chunk in self.asked if self.counts(chunk)]))
        self.over = not self.asked
        for chunk in self.asked:
            self.order.append(chunk)
            if not self.counts(chunk):
                continue
            faulted = self.look(self.contest, chunk)
            if faulted is None:
                self.queue.append(chunk)
                self.left += self.contest.matches(chunk)
            else:
                self.reused += self.contest.matches(chunk)
                self._keep(chunk, faulted)

    def counts(self, chunk: Chunk) -> bool:
        """Whether it doesn't come after a suspension at its table, or where that was stopped.

        Chunks count in the order of deals, whatever order they were played in, so the number of
        workers changes nothing.
        """
        known = self.suspended.get(chunk.table.key)
        if chunk.first >= self.stopped.get(chunk.table.key, chunk.first + 1):
            return False
        return known is None or chunk.first <= known.first

    def give(self) -> Chunk | None:
        """The next to be played, or None while it waits for others."""
        self.fill()
        if not self.queue:
            return None
        chunk = self._pop()
        self.under_way.add(chunk.name)
        self.spent += self.priced(chunk)
        return chunk

    def _pop(self) -> Chunk:
        chunk = self.queue.popleft()
        self.left -= self.contest.matches(chunk)
        return chunk

    def take(self, chunk: Chunk, faulted: Mapping[str, int]) -> None:
        """Takes note that a chunk is stored."""
        self.under_way.discard(chunk.name)
        self._keep(chunk, faulted)

    def stop(self, chunk: Chunk) -> None:
        """Takes note that a chunk can't be played: its table ends before it, the others go on."""
        own = chunk.table.key + "/"
        self.under_way = {name for name in self.under_way if not name.startswith(own)}
        first = self.stopped.get(chunk.table.key, chunk.first)
        self.stopped[chunk.table.key] = min(first, chunk.first)

    def _keep(self, chunk: Chunk, faulted: Mapping[str, int]) -> None:
        self.stored.add(chunk.name)
        bots = suspends(faulted)
        known = self.suspended.get(chunk.table.key)
        if bots and (known is None or chunk.first < known.first):
            self.suspended[chunk.table.key] = Suspended(chunk.first, chunk.last, bots)

    def kept(self) -> Iterator[Chunk]:
        """What counts in the end: as much of the order as is stored without a gap."""
        for chunk in self.order:
            if self.counts(chunk):
                if chunk.name not in self.stored:
                    return
                yield chunk


class Missing:
    """What a plan finds in a store, and what it still has to play.

    Every chunk that is there is read and checked. With `priced`, tables and contests get equal
    shares of time rather than deals.
    """

    def __init__(
        self, plan: Plan, store: Store, reacting: Reacting, priced: Priced | None = None
    ) -> None:
        self.store = store
        self.damaged: list[tuple[str, str]] = []
        """Chunks that can't be used: their names, and what is wrong with them."""
        self.by_time = priced is not None
        self.courses = []
        for index, contest in enumerate(plan.contests):
            price = _of_contest(priced, index)
            schedule = schedule_of(plan, contest, reacting, price)
            self.courses.append(Course(contest, schedule, self._look, price or (lambda chunk: 0.0)))
        for course in self.courses:
            course.survey()

    def _look(self, contest: PlannedContest, chunk: Chunk) -> Mapping[str, int] | None:
        """The faults by label of a chunk that is stored, else None; it is read and checked."""
        try:
            about = self.store.sound(
                chunk.name, contest.matches(chunk), contest.players, schema(contest.game)
            )
        except BadChunk as error:
            if str(error) not in [why for _, why in self.damaged]:  # chunks may share a file
                self.damaged.append((chunk.name, str(error)))
            return None
        return None if about is None else dict(about["faulted"])

    @property
    def matches(self) -> int:
        """Those that are known to be missing; they grow where a schedule reacts or never ends."""
        return sum(course.left for course in self.courses)

    @property
    def chunks(self) -> int:
        """Theirs."""
        return sum(len(course.queue) for course in self.courses)

    @property
    def reused(self) -> int:
        """Matches that were there already."""
        return sum(course.reused for course in self.courses)

    def due(self) -> Course | None:
        """The contest whose turn it is, or None at the end.

        Under a budget of time the one that has had least of it, else one after the other; one that
        waits lets others go first.
        """
        open_ = []
        for course in self.courses:
            course.fill()
            if course.queue or not course.over:
                open_.append(course)
        ready = [course for course in open_ if course.queue]
        if ready and self.by_time:
            return min(ready, key=lambda course: course.spent)
        return next(iter(ready or open_), None)


def _of_contest(priced: Priced | None, index: int) -> Callable[[Chunk], float] | None:
    return None if priced is None else lambda chunk: priced(index, chunk)


def schedule_of(
    plan: Plan,
    contest: PlannedContest,
    reacting: Reacting,
    price: Callable[[Chunk], float] | None = None,
) -> Schedule:
    """The schedule of a planned contest, from its beginning."""
    if contest.schedule in REACTING:
        return reacting(contest)
    if contest.schedule == "rounds":
        assert contest.deals is not None
        return Rounds(contest.rounds, contest.length, contest.deals, plan.key_of)
    return RoundRobin(contest.game, contest.tables, contest.deals, plan.key_of, price)


# --- Running --------------------------------------------------------------------------------------


def play(
    run: Run,
    plan: Plan,
    store: Store,
    found: Missing,
    backend: Callable[[Iterable[Chunk | None]], Iterable[Done | Attempt]],
    watch: Callable[[Done | Attempt], None],
) -> None:
    """Plays what is missing; each chunk is in the store before `watch` is told of it.

    The backend is given None where the next chunk depends on those under way. When the minutes are
    over, counted over all sessions of the run, what is under way is finished. OSError where the
    disk fails; what is stored by then stays.
    """
    played = run.manifest["played"]
    before, begun = played["seconds"], time.monotonic()
    due = begun + NOTED
    run.manifest["stopped"] = None
    for line in run.manifest["attempts"]:
        line["stopped"] = False  # a run that goes on tries everything again
    note(run, found)
    owners: dict[str, list[Course]] = {}
    """Of the chunks under way; contests may share a table."""
    finished: dict[str, Mapping[str, int]] = {}
    """The faults of chunks played here."""
    limit = None if plan.config.minutes is None else 60 * plan.config.minutes

    def wanted() -> Iterator[Chunk | None]:
        while (course := found.due()) is not None:
            if limit is not None and before + time.monotonic() - begun >= limit:
                run.manifest["stopped"] = "minutes"
                return
            _set_aside(run, store, found)
            chunk = course.give()
            if chunk is not None and chunk.name in finished:
                course.take(chunk, finished[chunk.name])
            elif chunk is not None and chunk.name in owners:
                owners[chunk.name].append(course)
            else:
                if chunk is not None:
                    owners[chunk.name] = [course]
                yield chunk

    try:
        for done in backend(wanted()):
            if isinstance(done, Attempt):
                note_attempt(run, done)
                if done.stops:
                    stop(found, owners, done.chunk)
                watch(done)
                continue
            faulted: Counter[str] = Counter()
            for (label, _), number in done.counts.faults.items():
                faulted[label] += number
            finished[done.chunk.name] = faulted
            for course in owners.pop(done.chunk.name, []):
                course.take(done.chunk, faulted)
            played["matches"] += done.counts.matches
            played["decisions"] += done.counts.decisions
            played["bytes"] += done.size
            played["worker_seconds"] = round(played["worker_seconds"] + done.seconds, 3)
            now = time.monotonic()
            played["seconds"] = round(before + now - begun, 3)
            if now >= due:
                note(run, found)
                due = now + max(NOTED, 50 * (time.monotonic() - now))
            watch(done)
    finally:
        played["seconds"] = round(before + time.monotonic() - begun, 3)
        with suppress(OSError):  # then the store is away, which whoever is next will be told
            note(run, found)


def stop(found: Missing, owners: dict[str, list[Course]], chunk: Chunk) -> None:
    """Has every contest know that a table is given up: several may share it."""
    own = chunk.table.key + "/"
    for name in [name for name in owners if name.startswith(own)]:
        del owners[name]
    for course in found.courses:
        if any(table.key == chunk.table.key for table in course.contest.tables):
            course.stop(chunk)


def note_attempt(run: Run, attempt: Attempt) -> None:
    """Adds a try that failed to the manifest's table: a line a chunk and what went wrong."""
    lines = run.manifest["attempts"]
    for line in lines:
        if (line["chunk"], line["what"]) == (attempt.chunk.name, attempt.what):
            break
    else:
        line = {
            "chunk": attempt.chunk.name,
            "entrants": list(attempt.chunk.table.labels),
            "what": attempt.what,
            "times": 0,
            "first": now(),
            "stopped": False,
        }
        lines.append(line)
    line["times"] += 1
    line["last"] = now()
    if attempt.stops:
        for other in lines:
            if other["chunk"].partition("/")[0] == attempt.chunk.table.key:
                other["stopped"] = True


def _set_aside(run: Run, store: Store, found: Missing) -> None:
    """Moves damaged chunks away, before they are played again."""
    while found.damaged:
        name, why = found.damaged.pop(0)
        aside = store.set_aside(name)
        if aside is not None:
            run.manifest["damaged"].append({"chunk": name, "why": why, "kept_as": aside.name})


def note(run: Run, found: Missing) -> None:
    """Writes down which chunks were asked for so far, so that an unfinished run's are known."""
    for course, contest in zip(found.courses, run.manifest["contests"], strict=True):
        _list_chunks(course.contest, contest, course.order)
    write_manifest(run.folder, run.manifest)


def settle(run: Run, found: Missing) -> None:
    """Writes down which chunks the run has: in the schedule's order, as far as they are stored,
    without what comes after a chunk that suspended a bot at its table.
    """
    for course, contest in zip(found.courses, run.manifest["contests"], strict=True):
        kept = list(course.kept())
        _list_chunks(course.contest, contest, kept)
        names = {chunk.name for chunk in kept}
        for table, about in zip(course.contest.tables, contest["tables"], strict=True):
            known = course.suspended.get(table.key)
            if known is not None and any(name in names for name in about["chunks"]):
                about["suspended"] = {"bots": known.bots, "after_deal": known.last}
            about.pop("stopped", None)
            if table.key in course.stopped:
                about["stopped"] = {"before_deal": course.stopped[table.key]}
    write_manifest(run.folder, run.manifest)


def _list_chunks(
    contest: PlannedContest, about: dict[str, object], chunks: Iterable[Chunk]
) -> None:
    by_table: dict[str, list[str]] = {table.key: [] for table in contest.tables}
    for chunk in chunks:
        by_table[chunk.table.key].append(chunk.name)
    tables = about["tables"]
    assert isinstance(tables, list)
    for table, each in zip(contest.tables, tables, strict=True):
        each["chunks"] = by_table[table.key]
