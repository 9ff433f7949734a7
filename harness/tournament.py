"""A run: from a config to stored chunks and a manifest."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from math import comb
from pathlib import Path
from typing import Any

from games.game import Game, Rules
from harness import secret
from harness.barred import Bars
from harness.config import Config, budgets_of, check_contest
from harness.entrants import Entrant, Older, find_bots
from harness.errors import UserError
from harness.games import find_game
from harness.play import ENGINE, sandbox
from harness.play.budgets import Budgets
from harness.play.restrictions import UNRESTRICTED, Restrictions, read_forbid
from harness.play.seeds import run_key, seed_id
from harness.play.tables import Chunk, Table, make_table, python_version, table_size
from harness.rounds import draw, drawn_before, written
from harness.schedule import MANY_BOTS, all_tables, gauntlet_tables
from harness.store import MANIFEST, Place, Store, read_manifest, write_manifest


@dataclass(frozen=True)
class PlannedContest:
    """One contest of a config, with its bots found and its tables drawn up."""

    game: Game
    game_path: str
    rules: Rules
    players: int
    schedule: str
    deals: int | None
    """Deals a table, in rounds of all rounds together; None: as many as a budget allows."""
    most: int | None
    """Matches that it may have in all."""
    promised: bool
    """Whether its config says how many deals are played; else a budget decides."""
    entrants: tuple[Entrant, ...]
    reference: tuple[str, ...]
    """The labels of a gauntlet's reference set."""
    left_out: tuple[str, ...]
    tables: tuple[Table, ...]
    """All that may play."""
    rounds: tuple[tuple[Table, ...], ...]
    """The tables of each round, where it has rounds."""
    length: int
    """Deals of a round."""
    budgets: Budgets
    restrictions: Restrictions = UNRESTRICTED
    notes: tuple[str, ...] = ()
    """What its operator should know before it is played."""

    @property
    def size(self) -> int:
        """Entrants a table, and so seatings a deal."""
        return table_size(self.game, self.players)

    def matches(self, chunk: Chunk) -> int:
        """The matches of one of its chunks."""
        return (chunk.last - chunk.first + 1) * self.size

    @property
    def planned(self) -> int | None:
        """The matches of a schedule that says beforehand what it plays; else None."""
        if self.schedule == "adaptive" or self.deals is None:
            return None
        if self.schedule == "rounds":
            spans = enumerate(range(0, self.deals, self.length))
            seats = sum(
                len(self.rounds[number]) * min(self.length, self.deals - first)
                for number, first in spans
            )
            return seats * self.size
        return len(self.tables) * self.deals * self.size


@dataclass(frozen=True)
class Plan:
    """All that a run will play."""

    config: Config
    path: Path
    key: bytes
    contests: tuple[PlannedContest, ...]
    keys: Mapping[str, bytes] = field(default_factory=dict)
    """By table key, the keys of tables that keep an earlier run's seed (harness/reuse.py)."""
    seeds: Mapping[str, Any] = field(default_factory=dict)
    """By their ids, these seeds as the manifest has them."""
    barred: Bars = field(default_factory=lambda: Bars([]))

    def key_of(self, table: Table) -> bytes:
        """The key of the seed under which a table's deals are played."""
        return self.keys.get(table.key, self.key)

    @property
    def seed_id(self) -> str:
        """The name of its seed in the store."""
        return seed_id(self.key)

    @property
    def pins(self) -> str:
        """A hash of everything that two runs must share for one to go on where the other stopped.

        Each table's key holds its game, rules, bots, engine, isolation and Python.
        """
        parts: list[Any] = [self.config.seed] + [
            [
                contest.schedule,
                contest.deals,
                contest.most,
                [table.key for table in contest.tables],
                [[table.key for table in tables] for tables in contest.rounds],
            ]
            for contest in self.contests
        ]
        return blake2b(json.dumps(parts).encode(), digest_size=12).hexdigest()


ROUND = 64
"""Deals of a round, unless the config says otherwise."""

MOST_ROUNDS = 256
"""So many are drawn where only minutes limit them."""

# --- Planning -----------------------------------------------------------------------------------


def plan(
    config: Config,
    path: Path,
    before: dict[str, Any] | None = None,
    older: Older | None = None,
    barred: Bars | None = None,
) -> Plan:
    """Finds what a config names and draws up its tables; UserError says which contest is wrong.

    `before` is the manifest of the newest run of its name, whose rounds are kept where they can;
    `older` finds older versions of bots; who is `barred` for faults is left out.
    """
    barred = barred or Bars([])
    contests = []
    for index, contest in enumerate(config.contest):
        try:
            check_contest(contest, config.minutes)
            contests.append(plan_contest(config, index, path.parent, before, older, barred))
        except (UserError, ValueError) as error:
            raise UserError(f"{path}: contest {index + 1}: {error}") from error
    if config.seed != secret.SECRET:
        return Plan(config, path, run_key(int(config.seed)), tuple(contests), barred=barred)
    if config.isolation != "sandbox":
        raise UserError(
            f'{path}: seed = "secret" needs isolation "sandbox", not "{config.isolation}":'
            " elsewhere a bot could read the secret"
        )
    return Plan(config, path, secret.draw(), tuple(contests), barred=barred)


def last_manifest(store: Store, name: str) -> dict[str, Any] | None:
    """The newest run's of this name, if there is one."""
    folders = store.run_folders(name)
    return read_manifest(folders[-1]) if folders else None


def plan_contest(
    config: Config,
    index: int,
    base: Path,
    before: dict[str, Any] | None = None,
    older: Older | None = None,
    barred: Bars | None = None,
) -> PlannedContest:
    """Finds what a contest names, relative to `base`; UserError or ValueError if it is wrong.

    `before` is the manifest of the run before, whose rounds it keeps as far as it can.
    """
    contest = config.contest[index]
    built_in = "/" not in contest.game and not contest.game.startswith(".")
    game_path = contest.game if built_in else str((base / contest.game).resolve())
    game = find_game(game_path)
    players = game.usual if contest.players is None else contest.players
    rules = game.rules.read(contest.rules)
    game.check_players(players, rules)
    left_out: list[str] = []

    def entrants(texts: Sequence[str]) -> list[Entrant]:
        """Those that these texts name, each once; others are added to `left_out`."""
        found: dict[str, Entrant] = {}
        for text in texts:
            named, others = find_bots(text, game, base, players, rules, older)
            left_out.extend(others)
            for entrant in named:
                if barred is not None and (why := barred.why(game.name, entrant.version)):
                    left_out.append(why)
                else:
                    found.setdefault(entrant.label, entrant)
        return list(found.values())

    reference = entrants(contest.reference or [])
    labels = {entrant.label for entrant in reference}
    new = entrants(contest.bots)
    new = [entrant for entrant in new if entrant.label not in labels]
    budgets = budgets_of(config, contest)
    text = "" if built_in else hash_of(Path(game_path) / "rules.py")
    forbid = read_forbid(contest.forbid, game, players, [*new, *reference])
    restrictions = Restrictions(forbid, contest.withhold or "")

    def table(seated: Sequence[Entrant]) -> Table:
        found = (game_path, game, rules, players, seated, config.isolation, budgets, text)
        return make_table(*found, restrictions)

    size = table_size(game, players)
    kind, notes = contest.schedule, []
    if kind == "gauntlet":
        _enough("bots", new, 1, left_out)
        _enough("reference", reference, size - 1, left_out)
        seatings = gauntlet_tables(game, players, new, reference)
    else:
        _enough("bots", new, 1 if game.has_roles(players) else size, left_out)
        seatings = []
        if size > 2 and len(new) > MANY_BOTS:
            number = f"{len(new)} bots, {size} at a table: {comb(len(new), size):,} tables"
            if "schedule" not in contest.model_fields_set:
                kind = "rounds"
                notes.append(f'{number}; it plays rounds (schedule = "round-robin" plays them all)')
            elif kind != "rounds":
                notes.append(f'{number} (schedule = "rounds" plays a balanced part of them)')
        if kind != "rounds":
            seatings = all_tables(game, players, new)
    planned = PlannedContest(
        game=game,
        game_path=game_path,
        rules=rules,
        players=players,
        schedule=kind,
        deals=contest.deals,
        most=contest.matches,
        promised=contest.deals is not None and kind != "adaptive",
        entrants=(*new, *reference),
        reference=tuple(entrant.label for entrant in reference),
        left_out=tuple(left_out),
        tables=tuple(table(seated) for seated in seatings),
        rounds=(),
        length=contest.round or ROUND,
        budgets=budgets,
        restrictions=restrictions,
        notes=tuple(notes),
    )
    if kind == "rounds":
        return _drawn(planned, table, before, index)
    if kind != "adaptive":
        return _within(planned, len(planned.tables) * size, 1)
    return planned


def _enough(key: str, found: Sequence[Entrant], least: int, left_out: Sequence[str]) -> None:
    if len(found) < least:
        out = f" (left out: {'; '.join(left_out)})" if left_out else ""
        raise UserError(f"{key}: at least {least} must play, and there are {len(found)}{out}")


def _within(contest: PlannedContest, each: int, unit: int) -> PlannedContest:
    """With as many deals as its budget of matches allows, `each` a deal, in whole units of deals;
    UserError if it allows none, or fewer than its config says.
    """
    if contest.most is None:
        return contest
    fit = contest.most // (each * unit) * unit
    if not fit:
        raise UserError(f"matches must be at least {each * unit:,} here, not {contest.most:,}")
    if contest.deals is None:
        return replace(contest, deals=fit)
    planned = contest.planned or 0
    if planned > contest.most:
        raise UserError(
            f"{planned:,} matches are planned, more than its matches = {contest.most}: lower deals,"
            " or leave one of the two out"
        )
    return contest


def _drawn(
    contest: PlannedContest,
    table: Callable[[Sequence[Entrant]], Table],
    before: dict[str, Any] | None,
    index: int,
) -> PlannedContest:
    """With its rounds, which keep of earlier ones what they can."""
    labels = [entrant.label for entrant in contest.entrants]
    tables = min(len(labels), comb(len(labels), contest.size))
    sized = (
        _within(contest, tables * contest.size, contest.length)
        if contest.deals is None
        else contest
    )
    deals = sized.deals or MOST_ROUNDS * contest.length
    number = -(-deals // contest.length)
    about = {
        "game": contest.game.name,
        "players": contest.players,
        "rules": contest.rules.changed(),
    }
    earlier = drawn_before(before, about, contest.length, index)
    drawn = draw(labels, contest.size, number, earlier)
    made = {
        seated: table([contest.entrants[i] for i in seated]) for each in drawn for seated in each
    }
    rounds = tuple(tuple(made[seated] for seated in each) for each in drawn)
    found = replace(contest, deals=deals, tables=tuple(made.values()), rounds=rounds)
    return _within(found, tables * contest.size, 1)


def hash_of(path: Path) -> str:
    """Stands for a file in table keys."""
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()


# --- Running ------------------------------------------------------------------------------------


@dataclass
class Run:
    """A run under way, or finished: its folder and manifest."""

    folder: Place
    manifest: dict[str, Any]
    resumed: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """`NAME/0007`."""
        return run_name(self.folder)


def run_name(folder: Place) -> str:
    """What a run is called: `NAME/0007`."""
    return f"{folder.parent.name}/{folder.name}"


def begin(plan: Plan, store: Store) -> Run:
    """Goes on with the newest run of this name if it is unfinished and the same, or begins one."""
    for contest in plan.contests:
        for entrant in contest.entrants:
            store.keep_bot(entrant)
    before = store.run_folders(plan.config.name)
    if before:
        folder = before[-1]
        manifest = read_manifest(folder)
        if manifest["status"] == "unfinished":
            # Of a secret seed's pins its id is no part: without the secret nobody goes on.
            if manifest["pins"] == plan.pins and manifest["seed_id"] == plan.seed_id:
                return Run(folder, manifest, resumed=True)
            note = (
                f"{run_name(folder)} was not finished, and its bots, rules, deals,"
                " seed or engine were others: a new run begins"
            )
            return Run(*_new_run(plan, store), notes=[note])
    return Run(*_new_run(plan, store))


def _new_run(plan: Plan, store: Store) -> tuple[Place, dict[str, Any]]:
    folder = store.new_run(plan.config.name)
    hidden = plan.config.seed == secret.SECRET
    if hidden:
        secret.keep(store.root, run_name(folder), plan.key)
    manifest = {
        "manifest": MANIFEST,
        "name": plan.config.name,
        "number": int(folder.name),
        "status": "unfinished",
        "started": now(),
        "finished": None,
        "config": plan.path.read_text(),
        "seed": None if hidden else plan.config.seed,
        "seed_id": plan.seed_id,
        "commitment": secret.commitment(plan.key) if hidden else None,
        "seeds": dict(plan.seeds),
        "engine": ENGINE,
        "python": python_version(),
        "isolation": plan.config.isolation,
        "in_force": sandbox.in_force(plan.config.isolation),
        "pins": plan.pins,
        "contests": [
            {
                "game": contest.game.name,
                "path": contest.game_path,
                "rules_number": contest.game.number,
                "rules": contest.rules.changed(),
                "forbid": [forbid._asdict() for forbid in contest.restrictions.forbid],
                "withhold": contest.restrictions.withhold,
                "players": contest.players,
                "teams": list(contest.game.teams(contest.players)),
                "roles": list(contest.game.roles(contest.players)),
                "schedule": contest.schedule,
                "deals": contest.deals,
                "budgets": asdict(contest.budgets),
                "entrants": [
                    {
                        "label": entrant.label,
                        "version": entrant.version,
                        "about": entrant.bot.about,
                    }
                    for entrant in contest.entrants
                ],
                "reference": list(contest.reference),
                "left_out": list(contest.left_out),
                "rounds": written(
                    [[table.labels for table in tables] for tables in contest.rounds],
                    [entrant.label for entrant in contest.entrants],
                    contest.length,
                ),
                "tables": [
                    {
                        "entrants": list(table.labels),
                        "key": table.key,
                        "seed_id": seed_id(plan.key_of(table)),
                        "chunks": [],
                    }
                    for table in contest.tables
                ],
            }
            for contest in plan.contests
        ],
        "barred": [one._asdict() for one in plan.barred.known],
        "damaged": [],
        "attempts": [],
        "stopped": None,
        "played": {
            "matches": 0,
            "decisions": 0,
            "bytes": 0,
            "worker_seconds": 0.0,
            "seconds": 0.0,
        },
        "summary": None,
    }
    write_manifest(folder, manifest)
    return folder, manifest


def stopped_tables(run: Run) -> list[dict[str, Any]]:
    """The tables that a fault of the machine kept from being finished, as the manifest has them."""
    tables = [table for contest in run.manifest["contests"] for table in contest["tables"]]
    return [table for table in tables if "stopped" in table]


def complete(run: Run, store: Store, summary: list[dict[str, Any]]) -> None:
    """Writes the summary, reveals the seed, and marks the run as complete, unless tables were
    stopped.
    """
    run.manifest["summary"] = summary
    whole = not stopped_tables(run)
    if whole:
        if secret.is_secret(run.manifest):
            secret.reveal(run.manifest, secret.recall(store.root, run.name, run.manifest))
        run.manifest["status"] = "complete"
        run.manifest["finished"] = now()
    write_manifest(run.folder, run.manifest)
    if whole:
        secret.forget(store.root, run.name)


def now() -> str:
    """The time, as manifests have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
