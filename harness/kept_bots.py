"""The bots that played: a store keeps the files of every version, so that it can play again.

bots/<version>/own/, project/, bot.json
"""

import ast
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from harness.entrants import Entrant
from harness.errors import UserError
from harness.files import Place, folders_in, write_whole


class KeptBot(NamedTuple):
    """A version of a bot as the store keeps it."""

    label: str
    name: str
    module: str | None
    """Where it was imported from, if it was a built-in bot."""
    folder: bool
    parameters: dict[str, Any]
    own: tuple[tuple[str, bytes], ...]
    """Its own files, by name, in the order in which its hash takes them."""
    project: tuple[tuple[str, bytes], ...]
    """The project's modules that it imported, by module."""


@dataclass(frozen=True)
class KeptBots:
    """The versions below a results folder."""

    root: Place

    def keep_bot(self, entrant: Entrant) -> None:
        """Keeps the files of this version, so that it can play again."""
        folder = self.root / "bots" / entrant.version
        # What says whose files they are comes last: where it is, they are all there.
        if (folder / "bot.json").exists():
            return
        own = dict(entrant.bot.files[: entrant.bot.own])
        project = dict(entrant.bot.files[entrant.bot.own :])
        for name, content in own.items():
            write_whole(folder / "own" / name, content)
        for name, content in project.items():
            write_whole(folder / "project" / f"{name}.py", content)
        about = {
            "label": entrant.label,
            "name": entrant.bot.name,
            "module": entrant.bot.module,
            "class": entrant.bot.class_name,
            "folder": entrant.bot.folder,
            "parameters": {name: repr(value) for name, value in entrant.parameters},
            "own": list(own),
            "project": list(project),
        }
        write_whole(folder / "bot.json", json.dumps(about, indent=2).encode())

    def bot_path(self, version: str) -> Place:
        """Where the files of a version are, or would be."""
        return self.root / "bots" / version

    def bot_labels(self) -> dict[str, str]:
        """The versions whose files are here, with their labels."""
        found = {}
        for version in folders_in(self.root / "bots"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                about = (self.bot_path(version) / "bot.json").read_text()
                found[version] = str(json.loads(about)["label"])
        return found

    def kept_bot(self, version: str) -> KeptBot:
        """The files of a version; UserError if they aren't here, or damaged."""
        folder = self.bot_path(version)
        try:
            about = json.loads((folder / "bot.json").read_text())
            if any(Path(name).is_absolute() or ".." in Path(name).parts for name in about["own"]):
                raise ValueError("a file outside the folder")
            return KeptBot(
                label=about["label"],
                name=about["name"],
                module=about["module"],
                folder=about["folder"],
                parameters={
                    name: ast.literal_eval(value) for name, value in about["parameters"].items()
                },
                own=tuple((name, (folder / "own" / name).read_bytes()) for name in about["own"]),
                project=tuple(
                    (name, (folder / "project" / f"{name}.py").read_bytes())
                    for name in about["project"]
                ),
            )
        except FileNotFoundError as error:
            raise UserError(f"{error.filename}: the files of this version aren't here") from error
        except (OSError, ValueError, SyntaxError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"{folder}: the files of this version are damaged ({error})") from error
