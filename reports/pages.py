"""Writes a run's report: static pages that open from disk, with their data as JSON beside them.

All text of strangers is escaped: by the templates, and for charts by reports/charts.py. Nothing on
a page is fetched from elsewhere; plotly's script lies beside the pages.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from harness.errors import UserError
from reports.charts import COLOURS, charts
from reports.metagame import ALPHA, POPULATION
from reports.names import harmless
from reports.overview import Plain

TEMPLATES = Path(__file__).parent / "templates"
BESIDE = ("style.css", "report.js")


def pages(
    name: str, manifest: Plain, contests: Sequence[Plain], study: Plain | None = None
) -> dict[str, str]:
    """The files of a report by their names; `contests` are their overviews, and `study` is what a
    study's page shows, where the run is one.
    """
    environment = _environment()
    run = {
        "name": harmless(name),
        "seed": "still secret" if manifest["seed"] is None else manifest["seed"],
        **{
            key: manifest[key]
            for key in ("status", "started", "finished", "isolation", "engine", "python")
        },
    }
    named = [
        {**contest, "names": {bot["bot"]: bot["name"] for bot in contest["bots"]}}
        for contest in contests
    ]
    bots = {bot["bot"]: bot for contest in contests for bot in contest["bots"]}
    found = {
        "index.html": environment.get_template("index.html").render(
            title=run["name"],
            run=run,
            contests=named,
            bots=sorted(bots.values(), key=lambda bot: str(bot["bot"])),
            attempts=manifest.get("attempts", []),
            study=study,
        )
    }
    if study is not None:
        found["study.html"] = environment.get_template("study.html").render(
            title=f"{study['name']}: {run['name']}", run=run, s=study, figures=study["figures"]
        )
        found["study.json"] = json.dumps(
            {"run": run["name"], **study["data"]}, indent=1, allow_nan=False
        )
    template = environment.get_template("contest.html")
    for contest in named:
        number = contest["contest"]
        found[f"contest-{number}.html"] = template.render(
            title=f"{contest['title']}: {run['name']}",
            run=run,
            c=contest,
            roles=any(contest["roles"]),
            kinds_of_seats=list(dict.fromkeys(contest["roles"])),
            tactics=list(dict.fromkeys(line["tactic"] for line in contest["tactics"])),
            kinds=sorted({line["kind"] for line in contest["faults"]}),
            figures=charts(contest),
            colours=COLOURS,
            alpha=f"{ALPHA:g}",
            population=POPULATION,
        )
    for contest in contests:
        found[f"contest-{contest['contest']}.json"] = json.dumps(
            {"run": run["name"], **contest}, indent=1, allow_nan=False
        )
    for file in BESIDE:
        found[file] = (TEMPLATES / file).read_text()
    return found


def write(folder: Path, files: dict[str, str]) -> None:
    """Writes a report and plotly's script; UserError where the folder can't be written."""
    from plotly.offline import get_plotlyjs  # here: importing plotly takes as long as most commands

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in {**files, "plotly.min.js": get_plotlyjs()}.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"--out: {folder} can't be written: {error.strerror}") from error


# --- Templates ------------------------------------------------------------------------------------


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "signed": _signed,
        "fixed": _fixed,
        "whole": _whole,
        "around": _around,
        "alone": _alone,
        "figure": _figure,
        "change": _change,
    }
    environment.globals["range_of"] = range
    return environment


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.0f}"


def _fixed(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:z.{digits}f}"


def _whole(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _figure(value: float | None) -> str:
    """A metric's value, whatever its unit."""
    return "–" if value is None else f"{value:z,.{1 if abs(value) >= 10 else 3}f}"


def _change(value: float | None) -> str:
    """The same with its sign."""
    return "–" if value is None else f"{value:+z,.{1 if abs(value) >= 10 else 3}f}"


def _alone(figure: dict[str, Any], scale: float, digits: int) -> str:
    """A figure without its interval."""
    return "–" if figure["value"] is None else f"{scale * figure['value']:z.{digits}f}"


def _around(figure: dict[str, Any], scale: float, digits: int) -> str:
    """A figure and the half width of its interval."""
    value = _alone(figure, scale, digits)
    if figure["high"] is None:
        return value
    return f"{value} ± {scale * (figure['high'] - figure['value']):.{digits}f}"
