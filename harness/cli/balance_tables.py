"""How a study is printed: a table a variant, and one JSON object."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from harness.cli.gate import Passed
from harness.cli.tables import Output, cell, say, show
from harness.study import StudyConfig
from reports.balance.metrics import Subject
from reports.balance.study import Line, Study, Variant
from reports.balance.targets import Judged, together

KEYS = ("value", "low", "high", "difference", "difference_low", "difference_high")


def line_values(line: Line) -> dict[str, float | None]:
    """A metric's figures under the keys of the JSON output."""
    numbers = (
        line.value.value,
        *line.value.interval(),
        line.difference.value,
        *line.difference.interval(),
    )
    return dict(zip(KEYS, numbers, strict=True))


def study_json(
    said: StudyConfig,
    found: Study,
    judged: Sequence[Judged],
    subject: Subject,
    sample: int,
    alpha: float,
) -> dict[str, Any]:
    """The whole study as one object; reports/README.md says what its keys mean."""
    return {
        "name": said.name,
        "game": subject.game,
        "players": subject.seats,
        "deals": said.deals,
        "blocks": found.blocks,
        "left_out": found.left_out,
        "sample": sample,
        "pace": subject.pace,
        "baseline": found.variants[0].name,
        "variants": {
            variant.name: {name: line_values(line) for name, line in variant.lines.items()}
            for variant in found.variants
        },
        "orders": {variant.name: variant.order for variant in found.variants},
        "faults": {variant.name: variant.faults for variant in found.variants},
        "missing": {variant.name: variant.missing for variant in found.variants},
        "pairing": {
            variant.name: {
                "median": variant.narrower,
                "metrics": {
                    name: line.narrower
                    for name, line in variant.lines.items()
                    if line.narrower is not None
                },
            }
            for variant in found.variants[1:]
        },
        "alpha": alpha,
        "targets": [
            {
                "metric": each.target.metric,
                "variant": each.target.variant,
                "min": each.target.low,
                "max": each.target.high,
                "value": each.value,
                "low": each.low,
                "high": each.high,
                "verdict": each.verdict.value,
                "deals": each.deals,
            }
            for each in judged
        ],
        "verdict": together(judged).value if judged else None,
    }


def study_rows(found: Study, everything: bool, only: Variant | None = None) -> list[dict[str, Any]]:
    """A row a variant and metric; without `everything` the headlines alone."""
    return [
        {"variant": variant.name, "group": line.metric.group, "metric": name, **line_values(line)}
        for variant in found.variants
        if only is None or variant is only
        for name, line in variant.lines.items()
        if everything or line.metric.headline
    ]


def show_study(
    said: StudyConfig, found: Study, subject: Subject, sample: int, everything: bool
) -> None:
    """Prints the baseline, then each variant with its differences."""
    base, *others = found.variants
    say(
        f"{said.name}: {found.blocks:,} blocks of {subject.seats}-seat {subject.game} in each"
        f" variant ({found.left_out:,} left out); intervals are 95 %, differences paired by deal"
        " (*: beyond chance, each by itself)."
    )
    if subject.standing or subject.elimination or everything:
        say(f"What needs the course of a match is from {sample:,} deals a table, watched.")
    for variant in found.variants:
        if variant.faults or variant.missing:
            say(
                f'In "{variant.name}" {variant.faults:,} blocks had a fault and'
                f" {variant.missing:,} weren't played."
            )
    if not others:
        _show_baseline(base, everything)
    for variant in others:
        if variant.same:
            say(f'"{variant.name}" is the same as the baseline, match for match.')
        else:
            _show_variant(base, variant, everything)
    for variant in found.variants:
        say(f'Strongest in "{variant.name}": {", ".join(variant.order[:5])}.')
    for variant in others:
        if variant.narrower is not None and not variant.same:
            say(
                f'Pairing by deal: "{variant.name}" has intervals of differences'
                f" {variant.narrower:.2f} times as wide as on different deals (median of results"
                " and lengths)."
            )
    if not everything:
        say("--all shows every metric.")


def _show_baseline(base: Variant, everything: bool) -> None:
    rows = [
        {
            "metric": name,
            "value": line.value.value,
            "low": line.value.interval()[0],
            "high": line.value.interval()[1],
            "meaning": line.metric.meaning,
        }
        for name, line in base.lines.items()
        if _shown(line, everything)
    ]
    show(rows, Output.table, base.name)


def _show_variant(base: Variant, variant: Variant, everything: bool) -> None:
    title = f'"{variant.name}" against "{base.name}"'
    shown = [line for line in variant.lines.values() if _shown(line, everything)]
    if not everything:
        show(
            [_against(base, line) for line in shown],
            Output.table,
            f"{title}",
        )
        return
    for group, lines in groupby(shown, key=lambda line: line.metric.group):
        show([_against(base, line) for line in lines], Output.table, f"{title}: {group}")


def _against(base: Variant, line: Line) -> dict[str, Any]:
    """A metric beside the baseline's; a star where its interval, by itself, is without 0."""
    value, (low, high) = line.difference.value, line.difference.interval()
    said = "–" if value is None else _signed(value)
    if low is not None and high is not None:
        said += f" ({_signed(low)} to {_signed(high)})" + (" *" if not low <= 0 <= high else "")
    return {
        "metric": line.metric.name,
        "baseline": base.lines[line.metric.name].value.value,
        "variant": line.value.value,
        "difference, 95 %": said,
    }


def _shown(line: Line, everything: bool) -> bool:
    return line.value.value is not None and (everything or line.metric.headline)


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{cell(float(value))}"


def show_adapted(rows: Sequence[dict[str, Any]]) -> None:
    """Prints what each bot that adapts became in each variant."""
    if rows:
        show(rows, Output.table, "Bots that adapt, by their trials (the best of several flatters)")


def show_targets(judged: Sequence[Judged], alpha: float, passed: Passed | None) -> None:
    """Prints each target with its verdict, and the verdict of all."""
    if not judged:
        return
    level = f"{100 * (1 - alpha / len(judged)):.2f}".rstrip("0").rstrip(".")
    what = "intervals" if passed is None else "confidence sequences"
    say(f"Targets, by {what} of {level} %: {100 * alpha:g} % error for all together.")
    if passed is not None:
        say(
            f"They were looked at {passed.looks:,} times, last after {passed.deals:,} deals; a"
            " verdict is that of the first look that gave one."
        )
    for each in judged:
        target = each.target
        between = "" if each.low is None else f" ({cell(each.low)} to {cell(each.high)})"
        say(
            f'  {each.verdict.value}: {target.metric} in "{target.variant}" is'
            f" {cell(each.value)}{between}, and must be {target.words}"
        )
    say(f"The study is {together(judged).value}.")
