"""What a study's page shows: its figures by group of metrics, targets, bots that adapt, and tune's
curve; from the manifest, which keeps them when rows go.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from reports.balance.charts import curves, differences
from reports.names import harmless

Plain = dict[str, Any]

GROUPS = {
    "role": "Results",
    "seat": "Results",
    "length": "Length",
    "draws": "Length",
    "stalls": "Length",
    "end": "Length",
    "forced": "Course",
    "branching": "Course",
    "wait": "Course",
    "lead": "Course",
    "eliminated": "Course",
    "tactic": "Tactics",
    "skill": "Skill and luck",
    "luck": "Skill and luck",
    "rating": "Skill and luck",
    "bot": "Bots",
    "order": "Bots",
    "mixture": "Bots",
}
"""The group of a metric by its first word."""


def study_page(manifest: Mapping[str, Any]) -> Plain | None:
    """What the page of a study or of a search for values shows; None for any other run."""
    if "balance" in manifest:
        return _study(manifest["balance"])
    if "tune" in manifest:
        return _tuned(manifest["tune"])
    return None


def _study(said: Mapping[str, Any]) -> Plain:
    names = list(said["variants"])
    shown = {name: harmless(name) for name in names}
    metrics = [
        metric
        for metric in said["variants"][names[0]]
        if any(said["variants"][name][metric]["value"] is not None for name in names)
    ]
    groups = [
        (group, list(each))
        for group, each in groupby(metrics, key=lambda name: GROUPS[name.split(".")[0]])
    ]
    figures = {}
    for number, (group, members) in enumerate(groups):
        like = _like(members, group)
        if like and len(names) > 1:
            drawn = differences(said["variants"], shown, like)
            figures[f"differences-{number}"] = drawn
    return {
        "kind": "balance",
        "name": harmless(said["name"]),
        "game": said["game"],
        "players": said["players"],
        "blocks": said["blocks"],
        "left_out": said["left_out"],
        "deals": said["deals"],
        "deals_allowed": said["deals_allowed"],
        "looks": said["looks"],
        "sample": said["sample"],
        "pace": said["pace"],
        "variants": [(name, shown[name]) for name in names],
        "orders": {name: [harmless(bot) for bot in said["orders"][name]] for name in names},
        "narrower": {name: each["median"] for name, each in said["pairing"].items()},
        "groups": [
            {
                "title": group,
                "chart": f"differences-{number}",
                "lines": [
                    {"metric": harmless(metric), "by": _by_variant(said["variants"], metric)}
                    for metric in members
                ],
            }
            for number, (group, members) in enumerate(groups)
        ],
        "targets": [
            {**each, "metric": harmless(each["metric"]), "variant": harmless(each["variant"])}
            for each in said["targets"]
        ],
        "verdict": said["verdict"],
        "alpha": said["alpha"],
        "adapted": _adapted(said["adapted"]),
        "figures": figures,
        "data": said,
    }


def _like(metrics: Sequence[str], group: str) -> list[str]:
    """Those of a group that may share a scale: shares, or nothing where units differ."""
    if group == "Tactics":
        return [metric for metric in metrics if metric.endswith(".per_match")]
    if group == "Results":
        return [metric for metric in metrics if metric.endswith(".points")]
    if group == "Length":
        return [metric for metric in metrics if metric.split(".")[0] != "length"]
    if group == "Course":
        shares = ("forced", "lead.settled", "lead.level_at_half", "eliminated.share")
        return [metric for metric in metrics if metric in shares]
    if group == "Skill and luck":
        return [metric for metric in metrics if metric != "rating.spread"]
    return [metric for metric in metrics if metric.startswith("bot.")]


def _by_variant(variants: Mapping[str, Any], metric: str) -> list[Plain]:
    return [dict(variant[metric]) for variant in variants.values()]


def _adapted(rows: Sequence[Mapping[str, Any]]) -> list[Plain]:
    return [
        {**row, **{key: harmless(row[key]) for key in ("variant", "bot", "became")}} for row in rows
    ]


def _tuned(said: Mapping[str, Any]) -> Plain:
    options = list(said["options"])
    return {
        "kind": "tune",
        "name": harmless(said["name"]),
        "game": said["game"],
        "players": said["players"],
        "deals": said["deals"],
        "metric": harmless(said["metric"]),
        "min": said["min"],
        "max": said["max"],
        "alpha": said["alpha"],
        "options": [harmless(option) for option in options],
        "points": [
            {**point, "values": [harmless(str(point["values"][name])) for name in options]}
            for point in said["points"]
        ],
        "smallest": [
            ", ".join(f"{harmless(name)} = {harmless(str(value))}" for name, value in each.items())
            for each in said["smallest"]
        ],
        "measure": said["measure"],
        "whole": said["whole"],
        "left_out": [harmless(line) for line in said["left_out"]],
        "adapted": _adapted(said["adapted"]),
        "figures": {"curve": curves(said)},
        "data": said,
    }
