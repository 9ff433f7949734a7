"""What changed between two runs: bots, versions, ratings beyond their intervals, faults.

Ratings are compared on the scale on which the bots that both runs have unchanged average zero. The
error of a change comes from both fits together (reports/joint.py); intervals are 95 %, by
Student's t.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from harness.errors import UserError
from harness.store import BadChunk, Place, Store, read_manifest
from reports.estimates import Estimate, interval
from reports.joint import Fit, covariance, fit_of
from reports.names import harmless
from reports.ratings import ELO, rate
from reports.results import Contest, Player, contests
from reports.shift import partners
from reports.summary import kept_ratings


class Change(NamedTuple):
    """One bot's rating, before and after."""

    bot: str
    """Its label after."""
    role: str
    before: float
    after: float
    change: Estimate

    @property
    def beyond(self) -> bool:
        """Whether the interval of the change leaves out zero."""
        low, high = self.change.low, self.change.high
        return low is not None and high is not None and (low > 0 or high < 0)


class Fault(NamedTuple):
    """Faults of a kind that a bot of this name didn't have before."""

    bot: str
    kind: str
    """`""` where only their number is known."""
    matches: int


class Since(NamedTuple):
    """What changed in one contest."""

    contest: int
    run: str
    """Since which."""
    new: list[str]
    """Labels."""
    gone: list[str]
    versions: list[tuple[str, str]]
    """Labels before and after of bots whose name stayed."""
    changes: list[Change]
    """Of all bots that can be compared."""
    anchors: int
    """How many bots, in both runs unchanged, the scale hangs on."""
    deals: int
    """Of either run."""
    shared: int
    """Of both, under the same seed."""
    faults: list[Fault]
    note: str = ""
    """What must be known of the comparison, or why there is none."""

    @property
    def words(self) -> str:
        """How ratings were compared."""
        beyond = sum(change.beyond for change in self.changes)
        return (
            f"{beyond} of {len(self.changes)} ratings changed beyond their 95 % intervals (of 20"
            f" that didn't change, one would), on the scale on which the {self.anchors} bots that"
            f" both runs have average zero; {self.shared:,} of the {self.deals:,} deals are in"
            " both runs, and count so"
        )


def plain(one: Since) -> dict[str, Any]:
    """As plain values, without control characters, for pages and JSON."""
    return {
        "run": harmless(one.run),
        "new": [harmless(bot) for bot in one.new],
        "gone": [harmless(bot) for bot in one.gone],
        "versions": [[harmless(bot) for bot in both] for both in one.versions],
        "faults": [
            {"bot": harmless(fault.bot), "kind": fault.kind or None, "matches": fault.matches}
            for fault in one.faults
        ],
        "changes": [
            {
                "bot": harmless(change.bot),
                "role": change.role or None,
                "before": change.before,
                "after": change.after,
                "beyond": change.beyond,
                **change.change._asdict(),
            }
            for change in one.changes
        ],
        "compared": one.words if one.changes else None,
        "note": one.note or None,
    }


def earlier(store: Store, folder: Place) -> Place | None:
    """The newest complete run before this one, of the same name."""
    if not folder.name.isdecimal():
        return None
    for other in reversed(store.run_folders(folder.parent.name)):
        if int(other.name) < int(folder.name):
            with suppress(UserError):  # a damaged manifest is nothing to compare with
                if read_manifest(other)["status"] == "complete":
                    return other
    return None


def since(store: Store, before: Place, after: Place) -> list[Since]:
    """What changed in each contest of a run since an earlier one."""
    old, new = contests(store, before), contests(store, after)
    name = f"{before.parent.name}/{before.name}"
    try:
        pairs = {contest.number: other for other, contest in partners(old, new)}
    except UserError:
        pairs = {}
    manifest = read_manifest(before)
    removed = manifest.get("rows_removed") is not None
    kept = kept_ratings(before, manifest)
    found = []
    for contest in new:
        other = pairs.get(contest.number)
        if other is None:
            note = f"{name} has no contest of this game, seats and rules"
            found.append(Since(contest.number, name, contest.bots, [], [], [], 0, 0, 0, [], note))
            continue
        summary = kept[other.number - 1] if kept else None
        found.append(_between(name, other, contest, summary, removed))
    return found


def _between(
    name: str, before: Contest, after: Contest, summary: Mapping[str, Any] | None, removed: bool
) -> Since:
    versions = _versions(before.bots, after.bots)
    changed = dict(versions)
    names = set(changed.values())
    found = Since(
        after.number,
        name,
        [bot for bot in after.bots if bot not in before.bots and bot not in names],
        [bot for bot in before.bots if bot not in after.bots and bot not in changed],
        versions,
        *([], 0, 0, 0, []),
    )
    same = {bot: bot for bot in before.bots if bot in after.bots}
    if not removed:
        with suppress(BadChunk):
            faults = _new_faults(before.faults()[0], after.faults()[0])
            return _compared(found, before, after, same, same | changed)._replace(faults=faults)
    if summary is None:
        return found._replace(note=f"{name} has neither rows nor a summary any more")
    return _from_summary(found, after, summary, same, same | changed)


def _versions(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    """Labels of one name where there is one on each side that the other doesn't have."""
    left: dict[str, tuple[list[str], list[str]]] = {}
    for side, others in ((0, after), (1, before)):
        for label in (before, after)[side]:
            if label not in others:
                left.setdefault(label.rpartition("@")[0], ([], []))[side].append(label)
    return [(old[0], new[0]) for old, new in left.values() if len(old) == len(new) == 1]


def _new_faults(
    before: Mapping[tuple[str, str], int], after: Mapping[tuple[str, str], int]
) -> list[Fault]:
    known = {(bot.rpartition("@")[0], kind) for bot, kind in before}
    return [
        Fault(bot, kind, number)
        for (bot, kind), number in sorted(after.items(), key=lambda item: (-item[1], item[0]))
        if (bot.rpartition("@")[0], kind) not in known
    ]


# --- Ratings ------------------------------------------------------------------------


def _compared(
    found: Since,
    before: Contest,
    after: Contest,
    same: Mapping[str, str],
    partner: Mapping[str, str],
) -> Since:
    """With the changes of ratings; `same` and `partner` give labels after by labels before."""
    fits = (fit_of(before), fit_of(after))
    old, new = fits
    if old is None or new is None:
        return found._replace(note="in one of the runs nobody has a finite rating")
    pairs = _indices(old, new, partner)
    anchors = _indices(old, new, same) or pairs
    spread, deals, shared = covariance(old, new)
    if deals < 2 or not pairs:
        return found._replace(deals=deals, note="no bot that both have is rated in both")
    width = len(old.strength)
    strength = np.concatenate([old.strength, new.strength])
    changes = []
    for i, j in pairs:
        role = new.contest.players[j].role
        hooks = [(a, b) for a, b in anchors if new.contest.players[b].role == role]
        if not hooks:
            continue
        slope = np.zeros((2, len(strength)))
        slope[0, i] += 1
        slope[1, width + j] += 1
        for a, b in hooks:
            slope[0, a] -= 1 / len(hooks)
            slope[1, width + b] -= 1 / len(hooks)
        was, now = (float(ELO * line @ strength) for line in slope)
        step = slope[1] - slope[0]
        error = ELO * sqrt(max(0.0, float(step @ spread @ step)))
        change = interval(now - was, error, deals) if error > 1e-6 else Estimate(now - was, 0.0)
        changes.append(Change(new.contest.players[j].bot, role, was, now, change))
    note = "" if _indices(old, new, same) else "no rated bot is unchanged: all that changed anchor"
    bots = {new.contest.players[b].bot for _, b in anchors}
    return found._replace(changes=changes, anchors=len(bots), deals=deals, shared=shared, note=note)


def _indices(old: Fit, new: Fit, partner: Mapping[str, str]) -> list[tuple[int, int]]:
    """Players rated in both, as indices before and after."""
    index = {player: at for at, player in enumerate(new.contest.players) if new.rated[at]}
    found = []
    for at, player in enumerate(old.contest.players):
        other = Player(partner.get(player.bot, ""), player.role)
        if old.rated[at] and other in index:
            found.append((at, index[other]))
    return found


# --- Where rows are gone --------------------------------------------------------------------------


def _from_summary(
    found: Since,
    after: Contest,
    summary: Mapping[str, Any],
    same: Mapping[str, str],
    partner: Mapping[str, str],
) -> Since:
    """From what the earlier run's manifest keeps, as if the two were independent."""
    lines = {(line["bot"], line["role"] or ""): line for line in summary["ratings"]}
    table = rate(after.players, after.matches)
    now = {line.player: line for line in table.rated}
    known = [
        (was, now[player])
        for (bot, role), was in lines.items()
        if (player := Player(partner.get(bot, ""), role)) in now
        and was["error"] is not None
        and now[player].rating.error is not None
    ]
    changes = []
    for was, line in known:
        hooks = [
            (one["rating"], other.rating.value or 0.0)
            for one, other in known
            if (one["bot"] in same or not same) and other.player.role == line.player.role
        ]
        if hooks:
            old = was["rating"] - sum(each[0] for each in hooks) / len(hooks)
            new = (line.rating.value or 0.0) - sum(each[1] for each in hooks) / len(hooks)
            error = sqrt(was["error"] ** 2 + (line.rating.error or 0.0) ** 2)
            change = interval(new - old, error, min(table.deals, summary["deals"]))
            changes.append(Change(line.player.bot, line.player.role, old, new, change))
    faulty = {bot.rpartition("@")[0] for (bot, _), line in lines.items() if line["faults"]}
    faults = [
        Fault(line.player.bot, "", line.faults)
        for line in table.rated
        if line.faults and line.player.bot.rpartition("@")[0] not in faulty
    ]
    note = (
        "its rows are gone: from its summary, as if the two runs had no deals in common, which"
        " makes intervals too wide where they had"
    )
    return found._replace(
        changes=changes, anchors=len(same), deals=table.deals, faults=faults, note=note
    )
