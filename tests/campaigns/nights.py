"""Does a store last? `python -m tests.campaigns.nights [--nights 90] [--keep 7] [--secret]`.

Simulated nights, each with `fairdeal run`, the readers and `fairdeal gc`, as a user runs them.
Bots join, change and leave; a third of the way in the engine's number goes up, and after two
thirds one game counts a tactic more. What is played is compared with what a model of its own, which
knows only which bots sat in the last nights, expects; figures with those of the night itself.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import harness.play.chunk
import harness.play.tables
import harness.tournament
from games.forest_fox import rules as forest_fox
from harness.cli.app import run as command_line
from harness.play import ENGINE
from reports import overview
from reports.metagame import metagame

CONFIG = """
name = "nightly"
seed = {seed}
isolation = "{isolation}"
[[contest]]
game = "./glade"
bots = ["random_legal", "submitted/*/*.py"]
deals = 100
[[contest]]
game = "de_boers"
players = 3
bots = ["highwayman", "random_legal", "submitted/*/*.py"]
deals = 16
"""

BOT = '''
from harness.bot import Bot


class Member(Bot):
    """Plays by the number {number}."""

    games = "*"

    def act(self, view, legal):
        return legal[{number} % len(legal)]
'''

AUTHORS = ("ann", "bob", "cat", "dan", "eve")
SEATS = {"glade": 2, "de_boers": 3}
BUILT_IN = {"glade": ("random_legal",), "de_boers": ("highwayman", "random_legal")}
BEFOREHAND = (
    *("harness.cli.finish", "harness.cli.gc", "harness.cli.ratings", "harness.cli.report"),
    *("harness.cli.run_config", "harness.cli.tactics", "bots.de_boers.highwayman"),
    *("games.de_boers.rules", "pandas", "plotly.offline"),
)
"""What commands import: the processes that they run in are born with it."""

ENGINES = (harness.play.chunk, harness.play.tables, harness.tournament)
"""The modules that know the engine's number."""


class Said(NamedTuple):
    """A finished command."""

    code: int
    out: str
    err: str


class Night(NamedTuple):
    """What one night came to."""

    number: int
    expected: int
    """Tables to be played, by the model."""
    played: int
    """Tables that were, by the folders that are new in the store."""
    tables: int
    files: tuple[int, int]
    """Of rows, before and after gc."""
    size: int
    """Of the whole store after gc, in bytes."""
    without: tuple[int, int]
    """Files of rows, and bytes of them, had nothing ever been removed or merged."""


@dataclass
class World:
    """The folder in which nights pass, and who has submitted what."""

    folder: Path
    keep: int
    secret: bool = False
    engine: int = ENGINE
    more: bool = False
    """Whether glade counts a tactic more."""
    bots: dict[str, int] = field(default_factory=dict)
    ever: dict[str, int] = field(default_factory=dict)
    """All files of rows that there ever were, with their bytes."""

    @property
    def results(self) -> Path:
        """The store."""
        return self.folder / "results"

    def write(self) -> None:
        """The config, the game and the bots as they are tonight."""
        seed, isolation = ('"secret"', "sandbox") if self.secret else ("1", "inprocess")
        (self.folder / "nightly.toml").write_text(CONFIG.format(seed=seed, isolation=isolation))
        rules = Path(forest_fox.__file__).read_text()
        rules = _replaced(rules, 'name="forest_fox"', 'name="glade"')
        if self.more:
            rules = _replaced(rules, "TACTICS = (", 'TACTICS = (Tactic("opened", "led a trick"),')
            rules = _replaced(rules, "LEAD, FOLLOW", "OPENED, LEAD, FOLLOW")
            led = "self.counts[seat][LEAD] += 1"
            rules = _replaced(rules, led, f"{led}; self.counts[seat][OPENED] += 1")
            rules = _replaced(rules, "number=", "number=100 + ")
        (self.folder / "glade").mkdir(exist_ok=True)
        (self.folder / "glade" / "rules.py").write_text(rules)
        shutil.rmtree(self.folder / "submitted", ignore_errors=True)
        for author, number in self.bots.items():
            file = self.folder / "submitted" / author / "member.py"
            file.parent.mkdir(parents=True)
            file.write_text(BOT.format(number=number))

    def tables(self) -> set[tuple[Any, ...]]:
        """Tonight's tables, each named by all that decides its rows."""
        found = set()
        for game, seats in SEATS.items():
            entrants = [*BUILT_IN[game], *self.bots.items()]
            rules = self.more and game == "glade"
            for seated in combinations(sorted(map(str, entrants)), seats):
                found.add((game, rules, self.engine, *seated))
        return found

    def files(self) -> dict[str, int]:
        """The files of rows that there are, with their bytes."""
        found = self.results.glob("chunks/*/*.parquet")
        return {str(path.relative_to(self.results)): path.stat().st_size for path in found}

    def size(self) -> int:
        """Of the whole store, in bytes."""
        return sum(path.stat().st_size for path in self.results.rglob("*") if path.is_file())

    def fairdeal(self, *arguments: str) -> Said:
        """A command in a process of its own, which need not import everything again."""
        with tempfile.TemporaryDirectory() as said:
            out, err = Path(said) / "out", Path(said) / "err"
            child = os.fork()
            if child == 0:
                code = 70
                try:
                    os.dup2(os.open(out, os.O_CREAT | os.O_WRONLY), 1)
                    os.dup2(os.open(err, os.O_CREAT | os.O_WRONLY), 2)
                    os.chdir(self.folder)
                    # How certain the mixtures are is of no concern here, and takes the longest.
                    overview.metagame = partial(metagame, resamples=5)  # type: ignore[attr-defined]
                    for module in ENGINES:
                        module.ENGINE = self.engine  # type: ignore[attr-defined]
                    code = command_line(list(arguments))
                    sys.stdout.flush()
                finally:
                    os._exit(code)
            _, status = os.waitpid(child, 0)
            return Said(os.waitstatus_to_exitcode(status), out.read_text(), err.read_text())

    def done(self, *arguments: str) -> str:
        """What a command prints; RuntimeError unless it ends well."""
        said = self.fairdeal(*arguments)
        if said.code:
            raise RuntimeError(
                f"{' '.join(arguments)}: exit code {said.code}\n{said.out}{said.err}"
            )
        return said.out

    def ratings(self, number: int) -> Any:
        """A night's ratings, as they are read from the store now."""
        return json.loads(self.done("ratings", f"nightly/{number:04d}", "--output", "json"))


def _replaced(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise RuntimeError(f"{old!r} stands {text.count(old)} times in the rules")
    return text.replace(old, new)


# --- Nights -------------------------------------------------------------------------------------


def change(world: World, rng: random.Random) -> None:
    """What happens in a day: somebody joins, changes a bot, or leaves; on some days nothing."""
    away = [author for author in AUTHORS if author not in world.bots]
    what = rng.choice(["join", "join", "change", "leave", "nothing", "nothing"])
    if away and (what == "join" or len(world.bots) < 2):
        world.bots[rng.choice(away)] = rng.randrange(40)
    elif what == "change":
        world.bots[rng.choice(sorted(world.bots))] = rng.randrange(40)
    elif what == "leave" and len(world.bots) > 2:
        del world.bots[rng.choice(sorted(world.bots))]


def nights(world: World, number: int, seed: int) -> Iterator[Night]:
    """So many nights; RuntimeError where one can't be read, or its figures have changed."""
    rng = random.Random(seed)
    world.bots = {"ann": 3, "bob": 7}
    before: list[set[tuple[Any, ...]]] = []
    told: dict[int, Any] = {}
    for night in range(1, number + 1):
        if night > 1:
            change(world, rng)
        world.engine = ENGINE + (night > number // 3)
        world.more = night > 2 * number // 3
        world.write()
        tonight = world.tables()
        expected = tonight.difference(*before[-world.keep :])
        there = _folders(world.files())
        world.done("run", "nightly.toml", "--local")
        files = world.files()
        told[night] = world.ratings(night)
        tactics = world.done("tactics", f"nightly/{night:04d}", "--output", "csv")
        if ("opened" in tactics) != world.more:
            raise RuntimeError(f"night {night}: tactics that were not counted, or not shown")
        world.ever |= files
        world.done("gc", "--keep", str(world.keep))
        if world.ratings(night) != told[night]:
            raise RuntimeError(f"night {night}: other ratings after gc")
        before.append(tonight)
        yield Night(
            night,
            len(expected),
            len(_folders(files) - there),
            len(tonight),
            (len(files), len(world.files())),
            world.size(),
            (len(world.ever), sum(world.ever.values())),
        )
    for night, ratings in told.items():
        if world.ratings(night) != ratings:
            raise RuntimeError(f"night {night}: other ratings at the end")
        run = f"nightly/{night:04d}"
        world.done("tactics", run)
        world.done("report", run, "--out", "report")


def _folders(files: dict[str, int]) -> set[str]:
    return {str(Path(file).parent) for file in files}


# --- The table ----------------------------------------------------------------------------------


def lines(found: Iterator[Night], every: int) -> Iterator[str]:
    """The nights in Markdown; RuntimeError after a table that was or wasn't played against hope."""
    yield "| night | tables | expected to be played | played | files | after gc | store | no gc |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    tables = played = 0
    for night in found:
        tables, played = tables + night.tables, played + night.played
        wrong = night.played != night.expected
        if wrong or night.number == 1 or night.number % every == 0:
            yield (
                f"| {night.number} | {night.tables} | {night.expected} | {night.played} |"
                f" {night.files[0]:,} | {night.files[1]:,} | {night.size / 1e6:.1f} MB |"
                f" {night.without[0]:,} files, {night.without[1] / 1e6:.1f} MB |"
            )
        if wrong:
            raise RuntimeError(f"night {night.number}: not what was expected")
    yield f"\nOf {tables:,} tables {played:,} were played, as expected, and the others reused."


def main() -> None:
    """Lets the nights pass, and prints some of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--nights", type=int, default=90)
    parser.add_argument("--keep", type=int, default=7)
    parser.add_argument("--every", type=int, default=10, help="print every so manieth night")
    parser.add_argument("--seed", type=int, default=1, help="of what happens by day")
    parser.add_argument("--secret", action="store_true", help="secret seeds, in the sandbox")
    given = parser.parse_args()
    start = time.perf_counter()
    for name in BEFOREHAND:
        import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), given.keep, given.secret)
        for line in lines(nights(world, given.nights, given.seed), given.every):
            print(line, flush=True)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
