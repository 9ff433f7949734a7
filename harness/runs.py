"""The runs of a store: their folders, and the manifest in each.

runs/<name>/<number>/manifest.json
runs/<name>/<number>/summary.json.gz    harness/summaries.py
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from harness.errors import UserError
from harness.files import Place, folders_in, place, write_whole


@dataclass(frozen=True)
class Runs:
    """The runs below a results folder."""

    root: Place

    def run_folders(self, name: str | None = None) -> list[Place]:
        """The folders of all runs, or of those with this name, oldest first."""
        runs = self.root / "runs"
        names = [name] if name is not None else sorted(folders_in(runs))
        found = []
        for each in names:
            numbers = [number for number in folders_in(runs / each) if number.isdecimal()]
            found += [runs / each / number for number in sorted(numbers, key=int)]
        return [folder for folder in found if (folder / "manifest.json").exists()]

    def new_run(self, name: str) -> Place:
        """Makes the next run's folder: `runs/NAME/0007`."""
        base = self.root / "runs" / name
        base.mkdir(parents=True, exist_ok=True)
        numbers = [int(number) for number in folders_in(base) if number.isdecimal()]
        folder = base / f"{max(numbers, default=0) + 1:04d}"
        folder.mkdir()
        return folder

    def find_run(self, text: str) -> Place:
        """The folder of the run that RUN means; UserError if there is none.

        RUN is a run's name (its newest), `NAME/0007`, a folder, or `latest`.
        """
        as_folder = place(text)
        if (as_folder / "manifest.json").exists():
            return as_folder
        if text == "latest":
            begun = {}
            for folder in self.run_folders():
                with suppress(UserError, KeyError):  # `fairdeal runs` names damaged manifests
                    begun[folder] = read_manifest(folder)["started"]
            if begun:
                return max(begun, key=lambda folder: begun[folder])
            raise UserError(f"{self.root}: there is no run here yet")
        name, slash, number = text.partition("/")
        found = self.run_folders(name) if name and ".." not in text else []
        if slash:
            found = [folder for folder in found if folder.name == number]
        if not found:
            names = sorted({folder.parent.name for folder in self.run_folders()})
            there = f"; there are: {', '.join(names)}" if names else " yet"
            raise UserError(f"there is no run {text!r} in {self.root}{there}")
        return found[-1]


def read_manifest(folder: Place) -> dict[str, Any]:
    """A run's manifest; UserError, naming the file, if it is damaged."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text())
        if not isinstance(manifest, dict) or manifest.get("manifest") != MANIFEST:
            raise ValueError("it is no manifest that this version knows")
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: this run's manifest is damaged ({error})") from error
    return manifest


def write_manifest(folder: Place, manifest: Mapping[str, Any]) -> None:
    """Writes a run's manifest in one step."""
    write_whole(folder / "manifest.json", json.dumps(manifest, indent=1).encode())


MANIFEST = 1
"""The number of the manifest's form."""
