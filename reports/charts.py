"""The charts of a contest's page, as figures that plotly.js draws."""

from collections.abc import Sequence
from html import escape
from typing import Any

from reports.overview import Plain

INK, GRID, ACCENT = "#1c2733", "#e3e7eb", "#1f5f8b"
COLOURS = ("#1f5f8b", "#c8501e", "#3a7d44", "#7a4fa3", "#b58900", "#c2427a", "#4b5a68", "#2aa198")
"""By seat, role or kind of fault; they differ in lightness too."""
LONGEST = 16
"""Characters of a bot's name beside a chart; the tables have it whole."""
ROW = 26
"""Pixels a bot."""
EVEN = [[0.0, "#b2482b"], [0.5, "#f7f7f5"], [1.0, "#1f5f8b"]]


def charts(found: Plain) -> Plain:
    """All figures of a page, by the name of their place in it."""
    names = {bot["bot"]: bot["name"] for bot in found["bots"]}
    drawn: Plain = {
        "ratings": ratings(found, names),
        "crosstable": crosstable(found, names),
    }
    if found["metagame"]["shares"]:
        drawn["metagame"] = mixture(found, names)
    if found["skill"]["components"]:
        drawn["skill"] = skill(found)
    if found["faults"]:
        drawn["faults"] = faults(found, names)
    drawn |= tactics(found, names)
    return drawn


def shown(name: str, role: str | None = None, longest: int = LONGEST) -> str:
    """A bot's name as a label: cut where it is long, and no markup for plotly to read."""
    cut = name if len(name) <= longest else name[: longest - 1] + "…"
    return escape(cut) + (f" · {escape(role)}" if role else "")


def _layout(rows: int, **more: Any) -> Plain:
    return {
        "height": 64 + ROW * max(1, rows),
        "margin": {"l": 8, "r": 12, "t": 8, "b": 40},
        "font": {"family": "system-ui, sans-serif", "size": 12, "color": INK},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "hoverlabel": {"align": "left"},
        "dragmode": False,
        **more,
    }


def _names(labels: Sequence[str]) -> Plain:
    """An axis with a place for each label, the first on top: equal labels stay apart."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": list(labels),
        "range": [len(labels) - 0.5, -0.5],
        "automargin": True,
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "ticklabelstandoff": 4,
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


def _bars(values: Sequence[Any], scale: float = 1.0) -> Plain:
    """Error bars from each figure's interval; none where it has none."""
    high = [(v["high"] - v["value"]) * scale if v["high"] is not None else 0.0 for v in values]
    low = [(v["value"] - v["low"]) * scale if v["low"] is not None else 0.0 for v in values]
    return {
        "type": "data",
        "symmetric": False,
        "array": high,
        "arrayminus": low,
        "thickness": 1.5,
        "width": 3,
    }


def ratings(found: Plain, names: dict[str, str]) -> Plain:
    """Each rating with its interval, best first."""
    lines = [line for line in found["ratings"] if line["value"] is not None]
    labels = [shown(names[line["bot"]], line["role"]) for line in lines]
    roles = list(dict.fromkeys(line["role"] for line in lines))
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "markers",
                "x": [line["value"] for line in lines],
                "y": list(range(len(lines))),
                "error_x": _bars(lines),
                "marker": {
                    "size": 9,
                    "color": [COLOURS[roles.index(line["role"]) % len(COLOURS)] for line in lines],
                },
                "customdata": [_full(line, names) for line in lines],
                "hovertemplate": "%{customdata}<br>%{x:+.1f} Elo<extra></extra>",
            }
        ],
        "layout": _layout(
            len(lines), xaxis=_numbers("Elo, with 95 % interval"), yaxis=_names(labels)
        ),
    }


def _full(line: Plain, names: dict[str, str]) -> str:
    return shown(names[line["bot"]], line["role"], longest=200)


def crosstable(found: Plain, names: dict[str, str]) -> Plain:
    """The share of the points that each scored against each, by place."""
    table = found["crosstable"]
    players = table["players"]
    size = len(players)
    even = 100 / found["players"] if not any(player["role"] for player in players) else 50
    values = [[None if share is None else 100 * share for share in row] for row in table["share"]]
    reach = max((abs(v - even) for row in values for v in row if v is not None), default=1.0)
    labels = [shown(f"{i}  {names[p['bot']]}", p["role"], LONGEST + 3) for i, p in _places(players)]
    full = [shown(names[p["bot"]], p["role"], 200) for p in players]
    return {
        "data": [
            {
                "type": "heatmap",
                "z": values,
                "zmin": even - reach,
                "zmax": even + reach,
                "colorscale": EVEN,
                "showscale": False,
                "hoverongaps": False,
                "xgap": 1,
                "ygap": 1,
                **({"texttemplate": "%{z:.0f}"} if size <= 14 else {}),
                "customdata": [[[full[i], full[j]] for j in range(size)] for i in range(size)],
                "hovertemplate": "%{customdata[0]}<br>against %{customdata[1]}"
                "<br>%{z:.1f} % of the points<extra></extra>",
            }
        ],
        "layout": _layout(
            size,
            xaxis={
                "tickmode": "array",
                "tickvals": list(range(size)),
                "ticktext": [str(i + 1) for i in range(size)],
                "title": {"text": "against (by place)", "standoff": 6},
                "range": [-0.5, size - 0.5],
                "fixedrange": True,
                "showgrid": False,
                "zeroline": False,
                "tickangle": 0,
                "ticks": "",
            },
            yaxis=_names(labels),
        ),
    }


def _places(players: Sequence[Plain]) -> list[tuple[int, Plain]]:
    return list(enumerate(players, start=1))


def mixture(found: Plain, names: dict[str, str]) -> Plain:
    """The Nash mixture with its range over resampled deals."""
    lines = found["metagame"]["shares"]
    drawn = [{"value": line["weight"], "low": line["low"], "high": line["high"]} for line in lines]
    # A bootstrap range need not hold the estimate itself; a bar can't go backwards.
    for each in drawn:
        if each["low"] is not None:
            each["low"] = min(each["low"], each["value"])
            each["high"] = max(each["high"], each["value"])
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "x": [100 * line["weight"] for line in lines],
                "y": list(range(len(lines))),
                "error_x": {**_bars(drawn, 100), "color": INK},
                "marker": {"color": ACCENT},
                "customdata": [_full(line, names) for line in lines],
                "hovertemplate": "%{customdata}<br>%{x:.1f} %<extra></extra>",
            }
        ],
        "layout": _layout(
            len(lines),
            xaxis=_numbers("per cent of the mixture", range=[0, 102]),
            yaxis=_names([shown(names[line["bot"]], line["role"]) for line in lines]),
        ),
    }


def skill(found: Plain) -> Plain:
    """The components of the variance."""
    parts = found["skill"]["components"]
    shares = [part["share"] for part in parts]
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "x": [100 * share["value"] for share in shares],
                "y": list(range(len(parts))),
                "error_x": {**_bars(shares, 100), "color": INK},
                "marker": {"color": ACCENT},
                "hovertemplate": "%{x:.1f} %<extra></extra>",
            }
        ],
        "layout": _layout(
            len(parts),
            xaxis=_numbers("per cent of the variance"),
            yaxis=_names([part["name"] for part in parts]),
        ),
    }


def faults(found: Plain, names: dict[str, str]) -> Plain:
    """Matches lost by faults, by bot and kind."""
    bots = list(dict.fromkeys(line["bot"] for line in found["faults"]))
    kinds = sorted({line["kind"] for line in found["faults"]})
    numbers = {(line["bot"], line["kind"]): line["matches"] for line in found["faults"]}
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "name": escape(kind),
                "x": [numbers.get((bot, kind), 0) for bot in bots],
                "y": list(range(len(bots))),
                "marker": {"color": COLOURS[i % len(COLOURS)]},
                "customdata": [shown(names[bot], None, 200) for bot in bots],
                "hovertemplate": "%{customdata}<br>%{x:,} matches<extra>%{fullData.name}</extra>",
            }
            for i, kind in enumerate(kinds)
        ],
        "layout": _layout(
            len(bots),
            barmode="stack",
            xaxis=_numbers("matches ended by a fault"),
            yaxis=_names([shown(names[bot]) for bot in bots]),
        ),
    }


def tactics(found: Plain, names: dict[str, str]) -> Plain:
    """A small chart for each tactic: how often each bot does it a match, by seat."""
    order = list(dict.fromkeys(line["bot"] for line in found["ratings"]))
    seats = range(found["players"])
    drawn: Plain = {}
    for tactic in dict.fromkeys(line["tactic"] for line in found["tactics_by_seat"]):
        lines = {
            (line["bot"], line["seat"]): line
            for line in found["tactics_by_seat"]
            if line["tactic"] == tactic
        }
        data = []
        for seat in seats:
            # Seats beside each other, so that their intervals can be told apart.
            offset = (seat - (len(seats) - 1) / 2) * 0.7 / len(seats)
            own = [(i, lines[bot, seat]) for i, bot in enumerate(order) if (bot, seat) in lines]
            data.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "x": [line["rate"]["value"] for _, line in own],
                    "y": [i + offset for i, _ in own],
                    "error_x": _bars([line["rate"] for _, line in own]),
                    "marker": {"size": 6, "color": COLOURS[seat % len(COLOURS)]},
                    "customdata": [shown(names[line["bot"]], None, 200) for _, line in own],
                    "hovertemplate": f"%{{customdata}}, seat {seat}"
                    "<br>%{x:.3f} a match<extra></extra>",
                }
            )
        drawn[f"tactic-{tactic}"] = {
            "data": data,
            "layout": _layout(
                len(order),
                xaxis=_numbers("a match", rangemode="tozero", nticks=5),
                yaxis=_names([shown(names[bot]) for bot in order]),
            ),
        }
    return drawn
