"""Finds games by name: the ones that come with Fairdeal, or a folder with a `rules.py`."""

import importlib
import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import games as builtin
from games.game import Game
from harness.errors import UserError


@cache
def builtin_names() -> tuple[str, ...]:
    """The names of the games that come with Fairdeal."""
    return tuple(
        sorted(
            path.parent.name for root in builtin.__path__ for path in Path(root).glob("*/rules.py")
        )
    )


@cache
def find_game(name: str) -> Game:
    """The game with this name, or in the folder at this path; UserError if there is none."""
    if name in builtin_names():
        return game_of(importlib.import_module(f"games.{name}.rules"), name)
    if not ("/" in name or name.startswith(".")):
        raise UserError(
            f"there is no game {name!r}; there are: {', '.join(builtin_names())}"
            " (another folder of rules is given by its path, such as ./mygame)"
        )
    file = Path(name) / "rules.py"
    if not file.is_file():
        raise UserError(f"game {name}: there is no {file}")
    if file.resolve().parent.name in builtin_names():
        raise UserError(f"game {name}: the folder needs a name that no built-in game has")
    return game_of(_import(file), name)


def game_of(module: ModuleType, name: str) -> Game:
    """The `GAME` of a rules module."""
    game = getattr(module, "GAME", None)
    if not isinstance(game, Game):
        raise UserError(f"game {name}: its rules.py has no GAME")
    return game


def _import(file: Path) -> ModuleType:
    """The rules of a folder outside the package, imported under a name of their own."""
    module_name = f"fairdeal_game_{file.resolve().parent.name}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise UserError(f"game {file.parent}: {file} can't be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module_name]
        raise UserError(f"game {file.parent}: {type(error).__name__}: {error}") from error
    return module
