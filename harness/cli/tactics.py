"""`fairdeal tactics`: how often the bots of a run do what, how alike they are, what changed."""

from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.left import clones_left, contests_left, frequencies_left, run_left
from harness.cli.lists import OutputOption
from harness.cli.ratings import ResultsOption, short_names
from harness.cli.tables import Output, say, show, warn
from harness.errors import UserError
from harness.store import Store, existing_store
from reports.ratings import Estimate
from reports.results import Contest, contests
from reports.rows import uncounted
from reports.shift import Shift, apart, partners, shifts
from reports.tactics import CLONES, By, Frequency, Pair, behaviour, frequencies, pairs


def tactics(
    run: Annotated[str, typer.Argument(help="NAME (its newest), NAME/0007, a folder, or latest.")],
    by: Annotated[
        By, typer.Option("--by", help="Count each bot's matches apart by this.")
    ] = By.bot,
    tactic: Annotated[
        list[str] | None, typer.Option("--tactic", help="Only this tactic; repeatable.")
    ] = None,
    clones: Annotated[
        bool, typer.Option("--clones", help="How alike the bots are, and nothing else.")
    ] = False,
    against: Annotated[
        str | None, typer.Option("--against", help="What changed since this run, and nothing else.")
    ] = None,
    results: ResultsOption = Path("results"),
    output: OutputOption = Output.table,
) -> None:
    """How often each bot does what, and its points with and without it.

    Intervals are 95 %, counted by deals. With --against every change is tested, with Holm's
    correction for the number of tests.

    Example: fairdeal tactics smoke --by seat --tactic fox
    """
    if clones and against is not None:
        raise UserError("--clones and --against are two tables: ask for one at a time")
    if by is not By.bot and against is not None:
        raise UserError("--against compares by bot and role: it doesn't go with --by")
    if clones and (tactic or by is By.opponent):
        raise UserError("--clones compares all tactics at once: it goes with --by bot or seat only")
    store = existing_store(results)
    folder = store.find_run(run)
    found = contests(store, folder)
    wanted = frozenset(tactic or ())
    asked = {
        "--against": against is not None,
        "--by opponent": by is By.opponent,
        "--clones --by seat": clones and by is By.seat,
    }
    left = run_left(store, folder, [option for option, given in asked.items() if given])
    if left is None:
        missing = [uncounted(contest) for contest in found]
    else:
        missing = [contest["uncounted"] for contest in contests_left(left)]
    for contest, numbers in zip(found, missing, strict=True):
        _say_uncounted(contest, numbers)
    if against is not None:
        _show_shifts(store, against, found, wanted, output)
    elif clones:
        _show_clones(found, clones_left(left) if left else _clones(found, by), output)
    else:
        lines = frequencies_left(left, by is By.seat) if left else _frequencies(found, by)
        _show_frequencies(found, lines, by, wanted, output)


def _clones(found: list[Contest], by: By) -> list[list[Pair]]:
    return [pairs(behaviour(contest, by)) for contest in found]


def _frequencies(found: list[Contest], by: By) -> list[list[Frequency]]:
    return [frequencies(behaviour(contest, by)) for contest in found]


def _say_uncounted(contest: Contest, numbers: dict[str, int]) -> None:
    """Says which tactics not all rows count, and at how many tables."""
    for name, number in numbers.items():
        warn(
            f"contest {contest.number}: {name} isn't counted at {number} of"
            f" {len(contest.about['tables'])} tables, which are left out of it"
        )


def _chosen(wanted: frozenset[str], known: list[str]) -> None:
    """UserError if a tactic is asked for that no contest counts."""
    for name in sorted(wanted):
        if name not in known:
            raise UserError(
                f"--tactic: there is no {name!r} in this run; there are: {', '.join(known)}"
            )


def _unique(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


# --- Frequencies ----------------------------------------------------------------------------------


def frequency_row(line: Frequency) -> dict[str, Any]:
    """A frequency as a row of plain values."""
    return {
        "tactic": line.tactic,
        "bot": line.group.bot,
        "role": line.group.role or None,
        "seat": line.group.seat,
        "opponent": line.group.opponent,
        "matches": line.matches,
        "times": line.times,
        **_spelt("rate", line.rate),
        "chances": line.chances,
        **_spelt("taken", line.taken),
        "points_with": line.points_with.value,
        "points_without": line.points_without.value,
        **_spelt("gain", line.gain),
    }


def _spelt(name: str, figure: Estimate) -> dict[str, float | None]:
    return {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}


def _show_frequencies(
    found: list[Contest],
    lines: list[list[Frequency]],
    by: By,
    wanted: frozenset[str],
    output: Output,
) -> None:
    _chosen(wanted, _unique([line.tactic for each in lines for line in each]))
    lines = [[line for line in each if not wanted or line.tactic in wanted] for each in lines]
    if output is not Output.table:
        show(
            [
                {"contest": contest.number, "game": contest.about["game"], **frequency_row(line)}
                for contest, each in zip(found, lines, strict=True)
                for line in each
            ],
            output,
            columns=("contest", "game", "tactic", "bot"),
        )
        return
    for contest, each in zip(found, lines, strict=True):
        counted = any(line.chances is not None for line in each)
        show(
            [_frequency(contest, line, by, counted) for line in each],
            Output.table,
            f"Contest {contest.number}: {contest.title}",
            columns=("tactic", "bot", "a match"),
        )
    say(
        "With, without: points in per cent of the matches in which a seat did it, and in which it"
        " didn't; gain: the difference, which need not be the tactic's doing."
    )


def _frequency(contest: Contest, line: Frequency, by: By, counted: bool) -> dict[str, Any]:
    names = short_names(contest.bots)
    group = line.group
    row: dict[str, Any] = {"tactic": line.tactic, "bot": names[group.bot]}
    if group.role:
        row["role"] = group.role
    if by is By.seat:
        row["seat"] = group.seat
    if by is By.opponent and group.opponent is not None:
        row["against"] = names[group.opponent]
    row["a match"] = _around(line.rate, 1, 3)
    if counted:
        row["a chance"] = _around(line.taken, 100, 1)
    row["with"] = _plain(line.points_with, 100)
    row["without"] = _plain(line.points_without, 100)
    row["gain"] = _around(line.gain, 100, 1, sign="+")
    return row


def _around(figure: Estimate, scale: float, digits: int, sign: str = "") -> str | None:
    """A figure and the half width of its interval."""
    if figure.value is None:
        return None
    value = f"{scale * figure.value:{sign}.{digits}f}"
    if figure.high is None:
        return value
    return f"{value} ± {scale * (figure.high - figure.value):.{digits}f}"


def _plain(figure: Estimate, scale: float) -> str | None:
    return None if figure.value is None else f"{scale * figure.value:.1f}"


# --- Near-clones ----------------------------------------------------------------------------------


def clone_row(pair: Pair) -> dict[str, Any]:
    """A pair of bots as a row of plain values."""
    return {
        "bot": pair.bot,
        "other": pair.other,
        "distance": pair.distance,
        "widest": pair.widest,
        "near_clones": pair.clones,
    }


def _show_clones(found: list[Contest], lines: list[list[Pair]], output: Output) -> None:
    if output is not Output.table:
        show(
            [
                {"contest": contest.number, "game": contest.about["game"], **clone_row(pair)}
                for contest, each in zip(found, lines, strict=True)
                for pair in each
            ],
            output,
            columns=("contest", "game", "bot", "other", "distance", "widest", "near_clones"),
        )
        return
    for contest, each in zip(found, lines, strict=True):
        names = short_names(contest.bots)
        show(
            [
                {
                    "bot": names[pair.bot],
                    "other": names[pair.other],
                    "distance": f"{pair.distance:.3f}",
                    "differ most in": pair.widest,
                    "": "near-clones" if pair.clones else "",
                }
                for pair in each
            ],
            Output.table,
            f"Contest {contest.number}: {contest.title}: how alike the bots are",
            columns=("bot", "other", "distance", "differ most in"),
        )
    say(
        "Distance: the root mean square over tactics of the difference in rates, each in standard"
        f" deviations between matches, less what chance makes of it. Near-clones: under {CLONES}."
    )


# --- Shifts ---------------------------------------------------------------------------------------


def shift_row(line: Shift) -> dict[str, Any]:
    """A change as a row of plain values."""
    return {
        "bot": line.bot or None,
        "role": line.role or None,
        "tactic": line.tactic,
        "before": line.before,
        "after": line.after,
        **_spelt("change", line.change),
        "p": line.p,
        "p_holm": line.corrected,
    }


def _show_shifts(
    store: Store, against: str, found: list[Contest], wanted: frozenset[str], output: Output
) -> None:
    folder = store.find_run(against)
    run_left(store, folder, ["--against"])
    matched = partners(contests(store, folder), found)
    for before, after in matched:
        if names := apart(before, after):
            warn(
                f"contest {after.number}: not compared, since only one of the runs counts them:"
                f" {', '.join(names)}"
            )
    # Corrected over all tests of the comparison, also those that are then not shown.
    tested = [(after, shifts(before, after)) for before, after in matched]
    _chosen(wanted, _unique([line.tactic for _, each in tested for line in each]))
    lines = [
        (contest, [line for line in each if not wanted or line.tactic in wanted])
        for contest, each in tested
    ]
    if output is not Output.table:
        show(
            [
                {"contest": contest.number, "game": contest.about["game"], **shift_row(line)}
                for contest, each in lines
                for line in each
            ],
            output,
            columns=("contest", "game", "bot", "role", "tactic"),
        )
        return
    for contest, each in lines:
        tests = sum(line.p is not None for line in each)
        show(
            [
                {
                    "bot": line.bot or "(all)",
                    **({"role": line.role} if line.role else {}),
                    "tactic": line.tactic,
                    "before": f"{line.before:.3f}",
                    "after": f"{line.after:.3f}",
                    "change": _around(line.change, 1, 3, sign="+"),
                    "p (Holm)": None if line.corrected is None else f"{line.corrected:.4f}",
                    "": "changed" if line.corrected is not None and line.corrected < 0.05 else "",
                }
                for line in sorted(each, key=lambda line: line.corrected or 2.0)
            ],
            Output.table,
            f"Contest {contest.number}: {contest.title}: rates a match since {against};"
            f" {tests} tests",
            columns=("bot", "tactic", "before", "after", "change"),
        )
