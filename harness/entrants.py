"""Bots as entrants: found by name, with parameters and a version; and loaded, which drivers do.

What a file says is read in bot_files.py; `load` alone runs it.
"""

import ast
import atexit
import glob
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import bots as builtin
from games.game import Game, Rules
from harness.bot import Bot
from harness.bot_files import BadBot, BotFile, read_bot
from harness.errors import UserError
from harness.play.faults import Fault, shortened
from harness.play.inprocess import Maker
from harness.play.loading import load_class


@dataclass(frozen=True)
class Entrant:
    """A bot with its parameters and version."""

    bot: BotFile
    parameters: tuple[tuple[str, Any], ...]
    """Those that differ from the defaults, by name."""
    version: str
    """A hash of its files and parameters, 32 hexadecimal digits."""

    @property
    def name(self) -> str:
        """The bot's name with its parameters: `hermit(patience=5)`."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters)
        return f"{self.bot.name}({given})" if given else self.bot.name

    @property
    def label(self) -> str:
        """As rows and records have it: `hermit(patience=5)@ab12cd34`."""
        return f"{self.name}@{self.version[:8]}"


@cache
def builtin_bots() -> tuple[BotFile, ...]:
    """The bots that come with Fairdeal, those of all games first."""
    found = []
    for root in map(Path, builtin.__path__):
        for path in sorted(root.glob("*.py")) + sorted(root.glob("*/*.py")):
            inner = path.relative_to(root).with_suffix("")
            if path.stem.startswith("_"):
                continue
            module = ".".join(("bots", *inner.parts))
            found.append(read_bot(path, path.stem, module))
    return tuple(found)


def enter(bot: BotFile, parameters: Mapping[str, Any] | None = None) -> Entrant:
    """A bot with these parameters; UserError if it has no such parameter."""
    given = {}
    for name, value in (parameters or {}).items():
        if name not in bot.parameters:
            has = ", ".join(bot.parameters) or "none"
            raise UserError(f"{bot.name} has no parameter {name!r}; it has: {has}")
        if value != bot.parameters[name] or type(value) is not type(bot.parameters[name]):
            given[name] = value
    pinned = tuple(sorted(given.items()))
    digest = blake2b(digest_size=16, person=b"fairdeal bot")
    for name, content in bot.files:
        digest.update(f"{name}\n{len(content)}\n".encode() + content)
    digest.update(repr(pinned).encode())
    return Entrant(bot, pinned, digest.hexdigest())


Older = Callable[[str, str], Entrant]
"""Finds an older version, by its name and the first digits of its hash (harness/versions.py)."""

VERSION = re.compile(r"(?P<name>.+)@(?P<digest>[0-9a-f]{4,32})")


def find_bots(
    text: str,
    game: Game,
    base: Path,
    players: int | None = None,
    rules: Rules | None = None,
    older: Older | None = None,
) -> tuple[list[Entrant], list[str]]:
    """The entrants that a config or command names, and why others that it names are left out.

    `text` is a built-in bot's name, a path or glob (relative to `base`), either with parameters in
    brackets, `*` for every built-in bot of the game, or an older version as `older` finds it,
    `hermit@ab12cd34`. UserError for a name, parameter or version that doesn't exist.
    """
    version = older and named_version(text, base)
    if older and version:
        entrant = older(*version)
        why = entrant.bot.plays(game, players, rules)
        return ([], [f"{entrant.label}: {why}"]) if why else ([entrant], [])
    name, parameters = split_parameters(text)
    if name == "*":
        found = [bot for bot in builtin_bots() if not bot.plays(game, players, rules)]
        return [enter(bot, parameters) for bot in found], []
    if "/" not in name and not name.endswith(".py") and name != ".":
        return _entered([_builtin(name, game)], parameters, game, players, rules)
    read, left_out = [], []
    for path in _paths(name, base):
        try:
            read.append(read_bot(path, submitted_name(path)))
        except BadBot as error:
            left_out.append(str(error))
    entrants, others = _entered(read, parameters, game, players, rules)
    return entrants, left_out + others


def named_version(text: str, base: Path) -> tuple[str, str] | None:
    """The name and hash that `text` consists of, unless it is a file's."""
    found = VERSION.fullmatch(text)
    if found is None or (base / text).exists():
        return None
    return found["name"], found["digest"]


def _entered(
    found: Sequence[BotFile],
    parameters: Mapping[str, Any],
    game: Game,
    players: int | None,
    rules: Rules | None,
) -> tuple[list[Entrant], list[str]]:
    entrants, left_out = [], []
    for bot in found:
        if why := bot.plays(game, players, rules):
            left_out.append(f"{bot.name}: {why}")
        else:
            entrants.append(enter(bot, parameters))
    return entrants, left_out


def find_one(
    text: str,
    game: Game,
    base: Path,
    players: int | None = None,
    rules: Rules | None = None,
    older: Older | None = None,
) -> Entrant:
    """The one entrant that `text` names; UserError if that isn't just one."""
    entrants, left_out = find_bots(text, game, base, players, rules, older)
    if left_out:
        raise UserError(left_out[0])
    if len(entrants) != 1:
        raise UserError(f"{text!r} names {len(entrants)} bots, not one")
    return entrants[0]


def _builtin(name: str, game: Game) -> BotFile:
    named = [bot for bot in builtin_bots() if bot.name == name]
    for bot in named:
        if not bot.plays(game):
            return bot
    if named:
        raise UserError(f"{name}: {named[0].plays(game)}")
    names = sorted(bot.name for bot in builtin_bots() if not bot.plays(game))
    raise UserError(
        f"there is no bot {name!r} for {game.name}; there are: {', '.join(names)}"
        " (a file is given by its path, such as ./mybot.py)"
    )


def _paths(name: str, base: Path) -> list[Path]:
    path = base / Path(name).expanduser()
    if not glob.has_magic(name):
        return [path]
    found = sorted(Path(match) for match in glob.glob(str(path), recursive=True))
    return found or [path]


def submitted_name(path: Path) -> str:
    """A submitted bot's name, after its folder: `author/hermit`."""
    whole = path.resolve()
    return f"{whole.parent.name or 'root'}/{whole.name if whole.is_dir() else whole.stem}"


def split_parameters(text: str) -> tuple[str, dict[str, Any]]:
    """`hermit(patience=5)` as a name and its parameters; UserError if it isn't spelled so."""
    name, bracket, rest = text.partition("(")
    if not bracket:
        return text, {}
    try:
        call = ast.parse(f"f({rest}", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError
        return name, {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UserError(f"{text!r}: parameters are written name(parameter=value, …)") from None


# --- Loading, in this process ---------------------------------------------------------------------


def load(entrant: Entrant) -> Maker:
    """Imports a bot's class, and gives what makes it; or the fault `load` if that fails."""
    bot = entrant.bot
    parameters = dict(entrant.parameters)
    folder = bot_folder(entrant)
    try:
        made: type[Bot] = load_class(bot.module, bot.class_name, folder, bot.files[0])
        loader = getattr(made, "load", None)
        if folder is not None and loader is not None:
            loader(Path(folder))
    except (Exception, SystemExit) as error:
        return Fault("load", shortened(error))
    if not parameters:
        return made
    return lambda setup: made(setup, **parameters)


_folders: dict[str, str] = {}


def bot_folder(entrant: Entrant) -> str | None:
    """Where the files of a bot that is a folder lie for this process: a copy of what its version
    stands for, made once; None for a bot that is one file.
    """
    if not entrant.bot.folder:
        return None
    if entrant.version not in _folders:
        folder = Path(tempfile.mkdtemp(prefix="fairdeal-bot-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        for name, content in entrant.bot.files[: entrant.bot.own]:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        _folders[entrant.version] = str(folder)
    return _folders[entrant.version]
