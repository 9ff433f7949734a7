"""The charts of a study's page: differences from the baseline, and the curve of a search."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from reports.charts import COLOURS, GRID, INK, ROW, shown

Plain = dict[str, Any]

VERDICTS = {"holds": "#3a7d44", "open": "#b58900", "fails": "#b2482b"}
"""The colour of a point by what is known of it."""
LONGEST = 22
"""Characters of a metric's name beside a chart; the tables have it whole."""


def differences(
    variants: Mapping[str, Mapping[str, Any]], names: Mapping[str, str], metrics: Sequence[str]
) -> Plain:
    """Each variant's differences from the baseline, the first, with intervals; a row a metric."""
    others = list(variants)[1:]
    data = []
    for number, variant in enumerate(others):
        # Variants beside each other, so that their intervals can be told apart.
        offset = (number - (len(others) - 1) / 2) * 0.7 / len(others)
        known = [
            (row, variants[variant][metric])
            for row, metric in enumerate(metrics)
            if variants[variant][metric]["difference"] is not None
        ]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": shown(names[variant], None, 40),
                "showlegend": True,
                "x": [each["difference"] for _, each in known],
                "y": [row + offset for row, _ in known],
                "error_x": _bars(
                    [
                        (each["difference"], each["difference_low"], each["difference_high"])
                        for _, each in known
                    ]
                ),
                "marker": {"size": 7, "color": COLOURS[number % len(COLOURS)]},
                "customdata": [shown(metrics[row], None, 200) for row, _ in known],
                "hovertemplate": "%{customdata}<br>%{x:+.4f}<extra>%{fullData.name}</extra>",
            }
        )
    rows = len(metrics) * max(1.0, 0.45 * len(others))
    return {
        "data": data,
        "layout": {
            **_layout(110 + ROW * rows + 18 * len(others)),
            "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
            "margin": {"l": 8, "r": 12, "t": 16 + 22 * len(others), "b": 44},
            "xaxis": _numbers("difference, with 95 % interval"),
            "yaxis": {
                "tickmode": "array",
                "tickvals": list(range(len(metrics))),
                "ticktext": [shown(metric, None, LONGEST) for metric in metrics],
                "range": [len(metrics) - 0.5, -0.5],
                "automargin": True,
                "fixedrange": True,
                "gridcolor": GRID,
                "zeroline": False,
            },
        },
    }


def curves(said: Mapping[str, Any]) -> Plain:
    """The metric over the first option, a line a value of the second, the target as a band."""
    first, *rest = said["options"]
    ordered = all(type(value) in (int, float) for value in said["options"][first])
    data = []
    groups: list[Any] = [None]
    if rest:
        groups = list(dict.fromkeys(point["values"][rest[0]] for point in said["points"]))
    for number, group in enumerate(groups):
        points = [
            point
            for point in said["points"]
            if point["value"] is not None and (not rest or point["values"][rest[0]] == group)
        ]
        if ordered:
            points.sort(key=lambda point: float(point["values"][first]))
        colour = COLOURS[number % len(COLOURS)]
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": escape(f"{rest[0]} = {group}" if rest else said["metric"]),
                "x": [_place(point["values"][first], ordered) for point in points],
                "y": [point["value"] for point in points],
                "error_y": {
                    **_bars([(point["value"], point["low"], point["high"]) for point in points]),
                    "color": colour,
                },
                "line": {"color": colour, "width": 1.5},
                "marker": {
                    "size": 9,
                    "color": [VERDICTS[point["target"]] for point in points],
                    "symbol": [
                        "circle" if point["known"] == "played" else "circle-open"
                        for point in points
                    ],
                },
                "customdata": [f"{point['target']}, {point['known']}" for point in points],
                "hovertemplate": "%{x}: %{y:.4f}<br>%{customdata}<extra>%{fullData.name}</extra>",
            }
        )
    band = {
        "type": "rect",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "fillcolor": "#3a7d44",
        "opacity": 0.12,
        "line": {"width": 0},
        "layer": "below",
    }
    ends = [
        end for point in said["points"] for end in (point["low"], point["high"], point["value"])
    ]
    known = [end for end in [*ends, said["min"], said["max"]] if end is not None]
    margin = 0.05 * (max(known) - min(known)) or 0.5
    low, high = min(known) - margin, max(known) + margin
    band["y0"] = low if said["min"] is None else said["min"]
    band["y1"] = high if said["max"] is None else said["max"]
    return {
        "data": data,
        "layout": {
            **_layout(400),
            "shapes": [band],
            "showlegend": bool(rest),
            "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
            "margin": {"l": 8, "r": 12, "t": 8 + 24 * len(rest), "b": 44},
            "xaxis": _numbers(escape(first), **({} if ordered else {"type": "category"})),
            "yaxis": _numbers(escape(said["metric"]), range=[low, high]),
        },
    }


def _place(value: Any, ordered: bool) -> Any:
    return value if ordered else escape(str(value))


def _bars(figures: Sequence[tuple[float, float | None, float | None]]) -> Plain:
    return {
        "type": "data",
        "symmetric": False,
        "array": [0.0 if high is None else high - value for value, _, high in figures],
        "arrayminus": [0.0 if low is None else value - low for value, low, _ in figures],
        "thickness": 1.5,
        "width": 3,
    }


def _layout(height: float) -> Plain:
    return {
        "height": round(height),
        "font": {"family": "system-ui, sans-serif", "size": 12, "color": INK},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": True,
        "hoverlabel": {"align": "left"},
        "dragmode": False,
    }


def _numbers(title: str, **more: Any) -> Plain:
    return {
        "title": {"text": title, "standoff": 6},
        "gridcolor": GRID,
        "zerolinecolor": "#9aa5b1",
        "fixedrange": True,
        "automargin": True,
        "nticks": 6,
        **more,
    }
