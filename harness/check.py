"""Checks a bot before it is submitted: what `fairdeal check` finds, within a time budget."""

import dataclasses
import os
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from games.game import Game, Rules
from harness.bot_files import BotFile
from harness.entrants import Entrant, find_one
from harness.games import builtin_names, find_game
from harness.play.budgets import Budgets
from harness.play.faults import Fault
from harness.play.lockstep import hosting
from harness.play.seeds import run_key
from harness.play.series import MatchPlayed, Series, finished_match, matches_of, setting_of, stays

DEALS = 4
"""Deals of each try; small, so that many combinations can be tried."""
VARIANTS = 3
"""Sets of rules options beside the published ones, for each game and number of seats."""


class Try(NamedTuple):
    """One combination that is tried."""

    game: Game
    players: int
    rules: Rules
    role: int
    """The seat that the bot has; in a game with roles the role's number, for all its seats."""

    @property
    def words(self) -> str:
        """What was tried, for people."""
        rules = ", ".join(f"{name} = {value}" for name, value in self.rules.changed().items())
        return f"{self.game.name} {self.players} seats" + (f", {rules}" if rules else "")


class Finding(NamedTuple):
    """Something that makes a bot unfit."""

    kind: str
    where: str
    detail: str


class Report(NamedTuple):
    """What a check found."""

    tried: list[Try]
    left: int
    """Combinations for which there was no time."""
    decisions: int
    median_us: float
    worst_us: float
    peak_mb: float
    written: int
    """Bytes that it wrote to its output, where they are lost."""
    findings: list[Finding]
    differences: list[Finding]
    """Where the same seed gave another play; they make a bot unfit unless it says so itself."""


def tries(bot: BotFile, only: Game | None) -> Iterator[Try]:
    """What could be tried: all games and seats first, then roles, then varied options."""
    games = [only] if only else [find_game(n) for n in builtin_names()]
    rng = Random(7)
    later: list[Try] = []
    for game in games:
        if bot.plays(game):
            continue
        seats = [players for players in game.players if not bot.plays(game, players)]
        for players in sorted(seats, key=lambda n: (n != game.usual, n)):
            for number, rules in enumerate(_rules(bot, game, players, rng)):
                roles = 2 if game.has_roles(players) else players
                first = rng.randrange(roles)
                found = [Try(game, players, rules, (first + i) % roles) for i in range(roles)]
                if number == 0:
                    yield found[0]
                    later += found[1:] if game.has_roles(players) else found[1:2]
                else:
                    later.append(found[0])
    yield from later


def _rules(bot: BotFile, game: Game, players: int, rng: Random) -> Iterator[Rules]:
    """The published rules, as far as the bot plays them, then some that vary."""
    wanted = {option: values[0] for option, values in bot.needs.items()}
    fields = dataclasses.fields(game.rules)
    for number in range(1 + VARIANTS):
        options: dict[str, Any] = dict(wanted)
        for field in rng.sample(fields, min(len(fields), 2)) if number else []:
            choice = rng.choice(field.metadata["allowed"])
            value = rng.choice(choice) if isinstance(choice, range) else choice
            if field.name not in wanted:
                options[field.name] = value
        try:
            rules = game.rules.read(options)
            game.check_players(players, rules)
        except ValueError:
            continue
        if not bot.plays(game, players, rules):
            yield rules


def check(
    entrant: Entrant, only: Game | None, level: str, budgets: Budgets, seconds: float
) -> Report:
    """Plays as much as there is time for, each combination in four ways."""
    stop = time.monotonic() + seconds
    done: list[Try] = []
    left = 0
    times: list[float] = []
    decisions, peak, written = 0, 0.0, 0
    findings: list[Finding] = []
    differences: list[Finding] = []
    for one in tries(entrant.bot, only):
        if time.monotonic() > stop and done:
            left += 1
            continue
        done.append(one)
        base = _Run(entrant, one, level, budgets)
        whole = base.play(width=64)
        decisions += base.decisions
        written += base.written
        findings += base.faults
        if base.faults and base.faults[0].kind == "load":
            break
        if base.faults:
            continue
        for width, hash_seed, how in ((1, "0", "asked one by one"), (64, "1", "another hash seed")):
            again = _Run(entrant, one, level, budgets)
            other = again.play(width=width, hash_seed=hash_seed)
            peak = max(peak, again.peak_mb)
            if width == 1:
                times += again.times_us
            difference = first_difference(whole, other)
            if difference:
                differences.append(Finding(how, one.words, difference))
    return Report(
        done,
        left,
        decisions,
        statistics.median(times) if times else 0.0,
        max(times, default=0.0),
        peak,
        written,
        findings,
        differences,
    )


class _Run:
    """One way of playing a combination."""

    def __init__(self, entrant: Entrant, one: Try, level: str, budgets: Budgets) -> None:
        self.entrant = entrant
        self.one = one
        self.level = level
        self.budgets = budgets
        self.decisions = 0
        self.written = 0
        self.peak_mb = 0.0
        self.times_us: list[float] = []
        self.faults: list[Finding] = []

    def play(self, width: int, hash_seed: str = "0") -> list[MatchPlayed]:
        """Plays it, and keeps what is to be known of the bot."""
        one = self.one
        other = find_one("random_legal", one.game, Path())
        own = self._seats()
        series = Series(
            game=one.game,
            path=one.game.name,
            rules=one.rules,
            players=one.players,
            entrants=tuple(self.entrant if s in own else other for s in range(one.players)),
            key=run_key(2026),
            deals=range(DEALS),
            isolation=self.level,
            budgets=self.budgets,
            as_given=True,
            width=width,
            hash_seed=hash_seed,
            moves=True,
        )
        reading, writing = os.pipe()
        counter = threading.Thread(target=self._drain, args=(reading,))
        counter.start()
        failed: dict[str, Fault] = {}
        order = series.orders(0)[0]
        try:
            with hosting(setting_of(series, writing), series.entrants, failed) as lockstep:
                matches = matches_of(series, 0, stays(series, order), {})
                found = [finished_match(series, each) for each in lockstep.play(matches)]
                for slot in lockstep.slots:
                    slot.down()
                self.peak_mb = max(lockstep.slots[seat].peak_mb for seat in own)
                self.times_us = [ns / 1000 for seat, ns in lockstep.times if seat in own]
        finally:
            os.close(writing)
            counter.join()
        for match in found:
            self.decisions += sum(match.ended.asked[seat] for seat in own)
            if match.ended.fault is not None and match.ended.at in own:
                kind, detail = match.ended.fault
                self.faults.append(
                    Finding(kind, f"{one.words}, deal {match.deal}, seat {match.ended.at}", detail)
                )
        return sorted(found, key=lambda match: match.deal)

    def _seats(self) -> set[int]:
        one = self.one
        if not one.game.has_roles(one.players):
            return {one.role}
        roles = one.game.roles(one.players)
        wanted = list(dict.fromkeys(roles))[one.role]
        return {seat for seat, role in enumerate(roles) if role == wanted}

    def _drain(self, handle: int) -> None:
        with os.fdopen(handle, "rb", buffering=0) as stream:
            while part := stream.read(65536):
                self.written += len(part)


def first_difference(one: list[MatchPlayed], other: list[MatchPlayed]) -> str:
    """Where two plays of the same deals first differ, in words; `""` if they don't."""
    for first, second in zip(one, other, strict=True):
        mine, theirs = first.moves or [], second.moves or []
        for entry, (a, b) in enumerate(zip(mine, theirs, strict=False)):
            if a != b:
                return f"deal {first.deal}, entry {entry}: {a!r}, then {b!r}"
        if len(mine) != len(theirs):
            return f"deal {first.deal}: {len(mine)} entries, then {len(theirs)}"
    return ""
