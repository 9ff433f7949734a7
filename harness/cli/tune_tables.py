"""How `fairdeal tune` prints what it found: a table of points, a curve, and one JSON object."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.cli.tables import Output, cell, console, say, show
from harness.study import StudyConfig
from harness.tuning import Grid, named
from reports.balance.metrics import Subject
from reports.balance.targets import Target, Verdict
from reports.balance.tune import Option, Point, likeliest, nearest

WORDS = {Verdict.accepted: "holds", Verdict.rejected: "fails", Verdict.undecided: "open"}
"""A point's verdict."""

MEASURE = (
    "the sum over options of the part of its range that a number moves by, or 1 for another choice"
)
"""In which the smallest change is the smallest."""


def tuned_rows(points: Sequence[Point]) -> list[dict[str, Any]]:
    """A row a point."""
    return [
        {
            **point.values,
            "value": point.value,
            "low": point.low,
            "high": point.high,
            "target": WORDS[point.verdict],
            "change": point.change,
            "known": "played" if point.played else "expected",
        }
        for point in points
    ]


def tuned_json(
    said: StudyConfig,
    subject: Subject,
    options: Sequence[Option],
    grid: Grid,
    points: Sequence[Point],
    target: Target,
    alpha: float,
) -> dict[str, Any]:
    """All of it as one object; reports/README.md says what its keys mean."""
    return {
        "name": said.name,
        "game": subject.game,
        "players": subject.seats,
        "deals": said.deals,
        "metric": target.metric,
        "min": target.low,
        "max": target.high,
        "alpha": alpha,
        "options": {option.name: list(option.values) for option in options},
        "present": dict(points[0].values),
        "points": [
            {
                "values": dict(point.values),
                **{key: row[key] for key in ("value", "low", "high", "target", "change", "known")},
            }
            for point, row in zip(points, tuned_rows(points), strict=True)
        ],
        "whole": all(point.played for point in points),
        "smallest": [dict(point.values) for point in nearest(points)],
        "measure": MEASURE,
        "left_out": grid.left_out,
    }


def show_tuned(
    said: StudyConfig,
    options: Sequence[Option],
    grid: Grid,
    points: Sequence[Point],
    target: Target,
    alpha: float,
) -> None:
    """Prints the points, the curve, and the smallest change that meets the target."""
    number = sum(point.played for point in points)
    how = (
        "all of them played"
        if number == len(points)
        else f"{number} played, the others as a Gaussian process expects them"
    )
    level = f"{100 * (1 - alpha / len(points)):.2f}".rstrip("0").rstrip(".")
    say(
        f"{target.metric} must be {target.words}. {len(points)} points, {how}, {said.deals:,} deals"
        f" a table, the same for each; intervals are {level} %: {100 * alpha:g} % error for all"
        " together."
    )
    show(tuned_rows(points), Output.table, f"{said.name}: the first point is the present rules")
    say(curve(options, points, target))
    for line in conclusions(points, target, grid):
        say(line)


def conclusions(points: Sequence[Point], target: Target, grid: Grid) -> list[str]:
    """What follows, in sentences."""
    holding = [point for point in points if point.verdict is Verdict.accepted and point.played]
    open_ = [point for point in points if point.verdict is Verdict.undecided]
    said = [f"It holds at {len(holding)} points, and is open at {len(open_)}."]
    found = nearest(points)
    if found and found[0].change == 0:
        said.append("The present rules meet it.")
    elif found:
        names = " or ".join(named(dict(point.values)) for point in found)
        said.append(f"The smallest change that meets it: {names} ({found[0].change:.2f}).")
    else:
        best = likeliest(points, target)
        if best is not None:
            said.append(
                f"None meets it for certain; of those that may, {named(dict(best.values))} changes"
                f" least, with {cell(best.value)}. More deals narrow the intervals."
            )
        else:
            said.append("None of these values can meet it.")
    said.append(f"Change is {MEASURE}.")
    if not grid.on_grid:
        said.append("The present rules aren't among the values to be tried; they are the first.")
    return said


def curve(options: Sequence[Option], points: Sequence[Point], target: Target) -> str:
    """The metric over the first option, with intervals, a chart a value of the second."""
    first, *rest = options
    charts = []
    for value in _values(rest[0], points) if rest else [None]:
        here = [point for point in points if not rest or point.values[rest[0].name] == value]
        title = "" if not rest else f"{named({rest[0].name: value})}\n"
        charts.append(title + _chart(first, here, points, target))
    return "\n\n".join(charts)


def _values(option: Option, points: Sequence[Point]) -> list[Any]:
    found = list(dict.fromkeys(point.values[option.name] for point in points))
    return sorted(found) if option.ordered else found


def _chart(option: Option, points: Sequence[Point], every: Sequence[Point], target: Target) -> str:
    """One curve; the scales are those of all."""
    import plotille

    values = _values(option, every)
    at: Mapping[Any, float] = {
        value: float(value) if option.ordered else float(number)
        for number, value in enumerate(values)
    }
    known = sorted(
        (p for p in points if p.value is not None), key=lambda p: at[p.values[option.name]]
    )
    bounds = [bound for bound in (target.low, target.high) if bound is not None]
    ends = [end for p in every for end in (p.low, p.high) if end is not None] + bounds
    ends += [p.value for p in every if p.value is not None]
    low, high = min(ends), max(ends)
    margin = (high - low) * 0.05 or 0.5
    left, right = min(at.values()), max(at.values())
    pad = (right - left) * 0.05 or 0.5
    figure = plotille.Figure()
    figure.width, figure.height = max(30, min(64, console.width - 16)), 12
    figure.with_colors = False
    figure.set_x_limits(left - pad, right + pad)
    figure.set_y_limits(low - margin, high + margin)
    figure.x_label, figure.y_label = option.name, target.metric
    figure.origin = False
    figure.y_ticks_fkt = lambda bottom, top: f"{bottom:8.3f}"
    figure.x_ticks_fkt = lambda start, stop: f"{start:.4g}" if option.ordered else ""
    xs = [at[p.values[option.name]] for p in known]
    figure.plot(xs, [p.value for p in known])
    for x, p in zip(xs, known, strict=True):
        if p.low is not None and p.high is not None:
            figure.plot([x, x], [p.low, p.high])
    for bound in bounds:
        figure.plot([left - pad, right + pad], [bound, bound])
    marks = {Verdict.accepted: "●", Verdict.rejected: "×", Verdict.undecided: "○"}
    for x, p in zip(xs, known, strict=True):
        figure.text([x], [p.value], [marks[p.verdict]])
    key = "● holds  ○ open  × fails; the level lines are the target's ends"
    if not option.ordered:
        key += "; " + ", ".join(f"{number}: {value}" for number, value in enumerate(values))
    return f"{figure.show()}\n{key}"
