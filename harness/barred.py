"""Who is barred: bots whose matches ended by their own faults too often on an earlier night.

In a game in which more than `max_fault_share` of a bot's matches last night ended by its faults, it
isn't scheduled tonight, nor later, until its version changes or the share is raised. This is beside
the suspension within a run (harness/playing.py), which ends one table at once.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from harness.store import Store, read_manifest

LIMIT = 0.02
"""The share, unless the config says otherwise; 1 bars nobody."""


class Barred(NamedTuple):
    """A version that faulted too often, as manifests carry it from night to night."""

    game: str
    label: str
    version: str
    faults: int
    matches: int
    """Of these its faults ended so many."""
    run: str
    """The night."""

    @property
    def share(self) -> float:
        """The part of its matches that its faults ended."""
        return self.faults / self.matches

    def why(self, limit: float) -> str:
        """For people."""
        return (
            f"{self.label}: its faults ended {self.faults:,} of its {self.matches:,} matches in"
            f" {self.run}, more than {100 * limit:g} %; it plays again when its version changes"
        )


class Bars:
    """Tonight's bars: those of last night and what it had from before."""

    def __init__(self, known: Sequence[Barred], limit: float = LIMIT) -> None:
        self.known = known
        self.limit = limit
        self._by_version = {(one.game, one.version): one for one in known}

    def why(self, game: str, version: str) -> str:
        """Why this version isn't scheduled, or `""`."""
        found = self._by_version.get((game, version))
        return found.why(self.limit) if found is not None and found.share > self.limit else ""


def bars(store: Store, name: str, limit: float) -> Bars:
    """What the newest complete run of this name says."""
    for folder in reversed(store.run_folders(name)):
        manifest = read_manifest(folder)
        if manifest["status"] == "complete" and "study" not in manifest:
            run = f"{folder.parent.name}/{folder.name}"
            found = [Barred(**one) for one in manifest["barred"]]
            found += _faulty(manifest, run, limit)
            return Bars(list({(one.game, one.version): one for one in found}.values()), limit)
    return Bars([], limit)


def _faulty(manifest: Mapping[str, Any], run: str, limit: float) -> Iterator[Barred]:
    """Who faulted too often in a run: by game, over all its contests of that game."""
    faults: Counter[tuple[str, str]] = Counter()
    matches: Counter[tuple[str, str]] = Counter()
    versions: dict[str, str] = {}
    for contest, rated in zip(manifest["contests"], manifest["summary"], strict=True):
        versions |= {entrant["label"]: entrant["version"] for entrant in contest["entrants"]}
        for line in rated["ratings"]:
            faults[contest["game"], line["bot"]] += line["faults"]
            matches[contest["game"], line["bot"]] += line["matches"]
    for (game, label), number in faults.items():
        if number > limit * matches[game, label]:
            yield Barred(game, label, versions[label], number, matches[game, label], run)
