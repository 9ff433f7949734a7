"""A run: from a config to stored chunks and a manifest."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from games.game import Game, Rules
from harness.config import Config, Contest, budgets_of
from harness.entrants import Entrant, find_bots
from harness.errors import UserError
from harness.games import find_game
from harness.play import ENGINE
from harness.play.budgets import Budgets
from harness.play.chunk import schema
from harness.play.seeds import run_key, seed_id
from harness.play.tables import Chunk, Table, chunks_of, make_table, python_version, table_size
from harness.schedule import RoundRobin, all_tables
from harness.store import MANIFEST, BadChunk, Store, read_manifest, write_manifest
from harness.workers import Done


@dataclass(frozen=True)
class PlannedContest:
    """One contest of a config, with its bots found and its tables drawn up."""

    game: Game
    game_path: str
    rules: Rules
    players: int
    deals: int
    entrants: tuple[Entrant, ...]
    left_out: tuple[str, ...]
    tables: tuple[Table, ...]
    budgets: Budgets

    @property
    def size(self) -> int:
        """Entrants a table, and so seatings a deal."""
        return table_size(self.game, self.players)

    def matches(self, chunk: Chunk) -> int:
        """The matches of one of its chunks."""
        return (chunk.last - chunk.first + 1) * self.size


@dataclass(frozen=True)
class Plan:
    """All that a run will play."""

    config: Config
    path: Path
    key: bytes
    contests: tuple[PlannedContest, ...]

    def key_of(self, table: Table) -> bytes:
        """The key of the seed under which a table's deals are played."""
        return self.key

    @property
    def seed_id(self) -> str:
        """The name of its seed in the store."""
        return seed_id(self.key)

    @property
    def pins(self) -> str:
        """A hash of everything that two runs must share for one to go on where the other stopped.

        Each table's key holds its game, rules, bots, engine, isolation and Python.
        """
        parts = [self.seed_id] + [
            [contest.deals, [table.key for table in contest.tables]] for contest in self.contests
        ]
        return blake2b(json.dumps(parts).encode(), digest_size=12).hexdigest()


# --- Planning -----------------------------------------------------------------------------------


def plan(config: Config, path: Path) -> Plan:
    """Finds what a config names and draws up its tables; UserError says which contest is wrong."""
    contests = []
    for index, contest in enumerate(config.contest):
        try:
            budgets = budgets_of(config, contest)
            contests.append(_plan_contest(contest, path.parent, config.isolation, budgets))
        except (UserError, ValueError) as error:
            raise UserError(f"{path}: contest {index + 1}: {error}") from error
    return Plan(config, path, run_key(config.seed), tuple(contests))


def _plan_contest(contest: Contest, base: Path, isolation: str, budgets: Budgets) -> PlannedContest:
    built_in = "/" not in contest.game and not contest.game.startswith(".")
    game_path = contest.game if built_in else str((base / contest.game).resolve())
    game = find_game(game_path)
    players = game.usual if contest.players is None else contest.players
    rules = game.rules.read(contest.rules)
    game.check_players(players, rules)
    entrants: list[Entrant] = []
    left_out: list[str] = []
    for text in contest.bots:
        found, others = find_bots(text, game, base, players, rules)
        left_out += others
        for entrant in found:
            if entrant.label not in {other.label for other in entrants}:
                entrants.append(entrant)
    size = table_size(game, players)
    least = 1 if game.has_roles(players) else size
    if len(entrants) < least:
        out = f" (left out: {'; '.join(left_out)})" if left_out else ""
        raise UserError(f"bots: at least {least} must play, and there are {len(entrants)}{out}")
    text = "" if built_in else _hash_of(Path(game_path) / "rules.py")
    tables = [
        make_table(game_path, game, rules, players, seated, isolation, budgets, text)
        for seated in all_tables(game, players, entrants)
    ]
    return PlannedContest(
        game,
        game_path,
        rules,
        players,
        contest.deals,
        tuple(entrants),
        tuple(left_out),
        tuple(tables),
        budgets,
    )


def _hash_of(path: Path) -> str:
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()


FAULTS_TO_SUSPEND = 3
"""So many faults of a bot in one chunk suspend it at that table, from the next chunk on."""


class Missing(NamedTuple):
    """What a plan finds in a store."""

    chunks: list[Chunk]
    """Those still to be played, in order."""
    matches: int
    """Theirs."""
    reused: int
    """Matches that are there already."""
    damaged: list[tuple[str, str]]
    """Chunks that can't be used: their names, and what is wrong with them."""


def missing(plan: Plan, store: Store) -> Missing:
    """Which of a plan's chunks aren't in the store; every one that is there is read and checked."""
    found = Missing([], 0, 0, [])
    to_play, reused = 0, 0
    for contest in plan.contests:
        shape = schema(contest.game)
        suspended: dict[str, int] = {}
        for chunk in RoundRobin(contest.game, contest.tables, contest.deals, plan.key_of).next({}):
            if chunk.first > suspended.get(chunk.table.key, chunk.first):
                continue
            name = chunk.name
            about = None
            try:
                about = store.sound(name, contest.matches(chunk), contest.players, shape)
            except BadChunk as error:
                if str(error) not in [why for _, why in found.damaged]:
                    found.damaged.append((name, str(error)))
            if about is None:
                found.chunks.append(chunk)
                to_play += contest.matches(chunk)
            else:
                reused += contest.matches(chunk)
                if suspends(about["faulted"]):
                    suspended[chunk.table.key] = chunk.first
    return found._replace(matches=to_play, reused=reused)


def suspends(faulted: Mapping[str, int]) -> list[str]:
    """The bots that these faults of one chunk, by label, suspend."""
    return sorted(label for label, faults in faulted.items() if faults >= FAULTS_TO_SUSPEND)


# --- Running ------------------------------------------------------------------------------------


@dataclass
class Run:
    """A run under way, or finished: its folder and manifest."""

    folder: Path
    manifest: dict[str, Any]
    resumed: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """`NAME/0007`."""
        return f"{self.folder.parent.name}/{self.folder.name}"


def begin(plan: Plan, store: Store) -> Run:
    """Goes on with the newest run of this name if it is unfinished and the same, or begins one."""
    for contest in plan.contests:
        for entrant in contest.entrants:
            store.keep_bot(entrant)
    before = store.run_folders(plan.config.name)
    if before:
        folder = before[-1]
        manifest = read_manifest(folder)
        if manifest["status"] != "complete":
            if manifest["pins"] == plan.pins:
                return Run(folder, manifest, resumed=True)
            note = (
                f"{folder.parent.name}/{folder.name} was not finished, and its bots, rules, deals,"
                " seed or engine were others: a new run begins"
            )
            return Run(*_new_run(plan, store), notes=[note])
    return Run(*_new_run(plan, store))


def _new_run(plan: Plan, store: Store) -> tuple[Path, dict[str, Any]]:
    folder = store.new_run(plan.config.name)
    manifest = {
        "manifest": MANIFEST,
        "name": plan.config.name,
        "number": int(folder.name),
        "status": "unfinished",
        "started": _now(),
        "finished": None,
        "config": plan.path.read_text(),
        "seed": plan.config.seed,
        "seed_id": plan.seed_id,
        "engine": ENGINE,
        "python": python_version(),
        "isolation": plan.config.isolation,
        "pins": plan.pins,
        "contests": [
            {
                "game": contest.game.name,
                "rules_number": contest.game.number,
                "rules": contest.rules.changed(),
                "players": contest.players,
                "teams": list(contest.game.teams(contest.players)),
                "roles": list(contest.game.roles(contest.players)),
                "schedule": "round-robin",
                "deals": contest.deals,
                "entrants": [
                    {
                        "label": entrant.label,
                        "version": entrant.version,
                        "about": entrant.bot.about,
                    }
                    for entrant in contest.entrants
                ],
                "left_out": list(contest.left_out),
                "tables": [
                    {
                        "entrants": list(table.labels),
                        "chunks": [
                            chunk.name
                            for chunk in chunks_of(
                                contest.game, table, contest.deals, plan.key_of(table)
                            )
                        ],
                    }
                    for table in contest.tables
                ],
            }
            for contest in plan.contests
        ],
        "damaged": [],
        "played": {"matches": 0, "decisions": 0, "bytes": 0, "worker_seconds": 0.0},
        "summary": None,
    }
    write_manifest(folder, manifest)
    return folder, manifest


def play(
    run: Run,
    plan: Plan,
    store: Store,
    found: Missing,
    backend: Callable[[Iterable[Chunk]], Iterable[Done]],
    watch: Callable[[Done], None],
) -> None:
    """Plays what is missing; each chunk is in the store before `watch` is told of it.

    OSError where the disk fails; what is stored by then stays.
    """
    for name, why in found.damaged:
        aside = store.set_aside(name)
        if aside is not None:
            run.manifest["damaged"].append({"chunk": name, "why": why, "kept_as": aside.name})
    played = run.manifest["played"]
    suspended: dict[str, int] = {}

    def wanted() -> Iterator[Chunk]:
        """The chunks, but none of a table after one that suspended a bot there."""
        for chunk in found.chunks:
            if chunk.first <= suspended.get(chunk.table.key, chunk.first):
                yield chunk

    try:
        for done in backend(wanted()):
            faulted: Counter[str] = Counter()
            for (label, _), number in done.counts.faults.items():
                faulted[label] += number
            if suspends(faulted):
                key = done.chunk.table.key
                suspended[key] = min(done.chunk.first, suspended.get(key, done.chunk.first))
            played["matches"] += done.counts.matches
            played["decisions"] += done.counts.decisions
            played["bytes"] += done.size
            played["worker_seconds"] = round(played["worker_seconds"] + done.seconds, 3)
            watch(done)
    finally:
        write_manifest(run.folder, run.manifest)


def suspend(run: Run, plan: Plan, store: Store) -> None:
    """Leaves out of the run what comes after a chunk that suspended a bot at its table.

    Chunks count in the order of deals, whatever order they were played in, so the number of
    workers changes nothing.
    """
    for planned, contest in zip(plan.contests, run.manifest["contests"], strict=True):
        for table, about in zip(planned.tables, contest["tables"], strict=True):
            kept = []
            for chunk in chunks_of(planned.game, table, planned.deals, plan.key_of(table)):
                kept.append(chunk.name)
                bots = suspends(store.chunk_metadata(kept[-1])["faulted"])
                if bots:
                    about["suspended"] = {"bots": bots, "after_deal": chunk.last}
                    break
            about["chunks"] = kept
    write_manifest(run.folder, run.manifest)


def complete(run: Run, summary: list[dict[str, Any]]) -> None:
    """Writes the summary and marks the run as complete."""
    run.manifest["summary"] = summary
    run.manifest["status"] = "complete"
    run.manifest["finished"] = _now()
    write_manifest(run.folder, run.manifest)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
