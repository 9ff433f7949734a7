"""Bots as entrants: reading a file without running it, finding bots by name, and versions.

A submitted file is only parsed here (`ast`); `load` alone runs it, and only drivers call that.
"""

import ast
import atexit
import glob
import importlib.util
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import bots as builtin
from games.game import Game, Rules, spell
from harness.bot import Bot
from harness.errors import UserError
from harness.play.faults import Fault, shortened
from harness.play.inprocess import Maker
from harness.play.loading import load_class

LARGEST_FILE = 1_000_000
"""Bytes of a bot's source that are read at most."""

LARGEST_FOLDER = 100_000_000
"""Bytes of all files of a bot that is a folder."""

TRAITS = ("games", "seats", "needs", "ranges", "weight", "reproducible")
"""The class's attributes that are read from its source: literals."""


class BadBot(UserError):
    """A bot that can't take part; a run leaves it out and says so."""


@dataclass(frozen=True)
class BotFile:
    """What a bot's file says of itself, read without running it."""

    name: str
    """`hermit`; a submitted bot's is `author/hermit`, after its folder."""
    module: str | None
    """Where a built-in bot is imported from."""
    path: str
    class_name: str
    about: str
    games: tuple[str, ...]
    """Empty for all."""
    seats: tuple[int, ...] | None
    needs: Mapping[str, tuple[Any, ...]]
    ranges: Mapping[str, tuple[Any, ...]]
    """By parameter, the values that are tried when it is tuned."""
    weight: float
    parameters: Mapping[str, Any]
    """Parameter names and their defaults."""
    observes: bool
    """Whether it defines `observe`."""
    reproducible: bool
    """False if it says that its answers vary (`reproducible = False`)."""
    folder: bool
    """Whether it is a folder with a `bot.py`, and its data."""
    files: tuple[tuple[str, bytes], ...]
    """Every file that the version stands for: its own first (for a folder all, `bot.py` first),
    then, by module, the project's that it imports."""
    own: int
    """How many of the files are its own."""

    def plays(self, game: Game, players: int | None = None, rules: Rules | None = None) -> str:
        """Why it doesn't play this, or `""` if it does."""
        if self.games and game.name not in self.games:
            return f"it plays {', '.join(self.games)}, not {game.name}"
        if players is not None and self.seats is not None and players not in self.seats:
            return f"it plays with {', '.join(map(str, self.seats))} seats, not {players}"
        for option, values in self.needs.items() if rules is not None else ():
            if not hasattr(rules, option):
                return f"it needs a rules option {option!r}, and {game.name} has none"
            value = getattr(rules, option)
            if value not in values:
                wanted = " or ".join(map(spell, values))
                return f"it needs {option} = {wanted}, not {spell(value)}"
        return ""


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


# --- Reading a file -----------------------------------------------------------------------------


def read_bot(path: Path, name: str, module: str | None = None) -> BotFile:
    """What the bot in this file or folder says of itself; BadBot if there is none, or not just one.

    A folder has a `bot.py` and whatever that needs beside it, together at most 100 MB.
    """
    own = _folder_files(path) if path.is_dir() else ((path.name, _content(path)),)
    return bot_of(str(path), name, own, folder=path.is_dir(), module=module)


def bot_of(
    where: str,
    name: str,
    own: tuple[tuple[str, bytes], ...],
    *,
    folder: bool,
    module: str | None = None,
) -> BotFile:
    """What a bot's own files say of themselves; BadBot, with `where` they are, if that is wrong."""
    trees = _trees(own, where, folder)
    tree = trees[0]
    found = [
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef) and _bases(node) & _names_of_bot(tree)
    ]
    if len(found) != 1:
        has = f"{len(found)} bots ({', '.join(c.name for c in found)})" if found else "no bot"
        raise BadBot(
            f"{where}: it has {has}; there must be one class whose base is harness.bot.Bot"
        )
    node = found[0]
    try:
        traits = _traits(node)
        return BotFile(
            name=name,
            module=module,
            path=str(Path(where).resolve()),
            class_name=node.name,
            about=_first_sentence(ast.get_docstring(node)),
            games=_names(traits.get("games", "*")),
            seats=_numbers(traits["seats"]) if traits.get("seats") is not None else None,
            needs=_needs(traits.get("needs", {})),
            ranges=_ranges(traits.get("ranges", {}), _parameters(node)),
            weight=_weight(traits.get("weight", 1)),
            parameters=_parameters(node),
            observes=_defines(node, "observe"),
            reproducible=traits.get("reproducible", True) is True,
            folder=folder,
            files=own + _project_files(trees),
            own=len(own),
        )
    except ValueError as error:
        raise BadBot(f"{where}: {node.name}: {error}") from error


def project_files(bot: BotFile) -> tuple[tuple[str, bytes], ...]:
    """The project's modules that a bot imports, as they are now."""
    return bot.files[bot.own :]


def _trees(own: Sequence[tuple[str, bytes]], where: str, folder: bool) -> list[ast.Module]:
    if not folder:
        return [_parsed(where, own[0][1])]
    return [_parsed(f"{where}/{file}", content) for file, content in own if file.endswith(".py")]


def _content(path: Path) -> bytes:
    """A bot's source; BadBot if it can't be read or is too large."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise BadBot(f"{path}: it is no file")
        if about.st_size > LARGEST_FILE:
            size = f"{about.st_size:,} bytes"
            raise BadBot(f"{path}: {size}; a bot's file has at most {LARGEST_FILE:,}")
        return path.read_bytes()
    except FileNotFoundError:
        meant = path.with_name(f"{path.name}.py")
        hint = f"; there is {meant}" if meant.is_file() else ""
        raise BadBot(f"{path}: there is no such file{hint}") from None
    except OSError as error:
        raise BadBot(f"{path}: {error.strerror}") from error


def _folder_files(folder: Path) -> tuple[tuple[str, bytes], ...]:
    """All files of a bot that is a folder, by their paths in it, `bot.py` first."""
    if not (folder / "bot.py").is_file():
        raise BadBot(f"{folder}: a folder needs a bot.py to be a bot")
    found = {"bot.py": _content(folder / "bot.py")}
    size = 0
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if path.is_symlink():
            raise BadBot(f"{path}: a bot's folder may have no links")
        hidden = any(part[0] == "." or part == "__pycache__" for part in inner.parts)
        if hidden or not path.is_file():
            continue
        size += path.stat().st_size
        if size > LARGEST_FOLDER:
            raise BadBot(f"{folder}: a bot's folder has at most {LARGEST_FOLDER:,} bytes")
        content = _content(path) if path.suffix == ".py" else path.read_bytes()
        found.setdefault(str(inner), content)
    return tuple(found.items())


def _parsed(where: str, content: bytes) -> ast.Module:
    try:
        return ast.parse(content)
    except SyntaxError as error:
        raise BadBot(f"{where}:{error.lineno}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise BadBot(f"{where}: it can't be parsed: {error}") from error


def _names_of_bot(tree: ast.Module) -> set[str]:
    """The dotted names under which this file knows `harness.bot.Bot`."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "harness.bot":
            names |= {a.asname or a.name for a in node.names if a.name == "Bot"}
        elif isinstance(node, ast.ImportFrom) and node.module == "harness":
            names |= {f"{a.asname or a.name}.Bot" for a in node.names if a.name == "bot"}
        elif isinstance(node, ast.Import):
            names |= {f"{a.asname or a.name}.Bot" for a in node.names if a.name == "harness.bot"}
    return names


def _bases(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(base) for base in node.bases if isinstance(base, ast.Name | ast.Attribute)}


def _traits(node: ast.ClassDef) -> dict[str, Any]:
    """The class's literal attributes that the harness reads."""
    traits = {}
    for statement in node.body:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets, value = [statement.target], statement.value
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name) and target.id in TRAITS:
                traits[target.id] = _literal(value, target.id)
    return traits


def _literal(node: ast.expr, what: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise ValueError(f"{what} must be a literal") from None


def _names(value: Any) -> tuple[str, ...]:
    if value == "*":
        return ()
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
        raise ValueError('games must be names, such as ("forest_fox",), or "*"')
    return tuple(names)


def _numbers(value: Any) -> tuple[int, ...]:
    if not isinstance(value, tuple | list) or not all(type(number) is int for number in value):
        raise ValueError("seats must be numbers, such as (2, 3)")
    return tuple(value)


def _needs(value: Any) -> dict[str, tuple[Any, ...]]:
    if not isinstance(value, dict) or not all(
        isinstance(option, str) and isinstance(values, tuple | list)
        for option, values in value.items()
    ):
        raise ValueError('needs must be values by option, such as {"leader": ["trick_winner"]}')
    return {option: tuple(values) for option, values in value.items()}


def _ranges(value: Any, parameters: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """A pair of numbers is a range from one to the other, a list holds the values themselves."""
    if not isinstance(value, dict) or not all(
        isinstance(values, tuple | list) and values for values in value.values()
    ):
        raise ValueError('ranges must be values by parameter, such as {"patience": (1, 6)}')
    for name, values in value.items():
        if name not in parameters:
            has = ", ".join(parameters) or "none"
            raise ValueError(f"ranges: there is no parameter {name!r}; there are: {has}")
        ends = isinstance(values, tuple)
        if ends and not (
            len(values) == 2
            and all(type(end) in (int, float) for end in values)
            and values[0] <= values[1]
        ):
            raise ValueError(f"ranges: {name} must be (low, high), or a list of values")
    return {
        name: _steps(*values) if isinstance(values, tuple) else tuple(values)
        for name, values in value.items()
    }


STEPS = 6
"""So many values of a range are tried at most."""


def _steps(low: float, high: float) -> tuple[int | float, ...]:
    """Values from low to high, evenly spaced; whole numbers where both ends are."""
    whole = isinstance(low, int) and isinstance(high, int)
    if low == high:
        return (low,)
    number = min(STEPS, int(high - low) + 1) if whole else STEPS
    values = [low + (high - low) * step / (number - 1) for step in range(number)]
    return tuple(dict.fromkeys(round(value) if whole else round(value, 6) for value in values))


def _weight(value: Any) -> float:
    if type(value) not in (int, float) or not 0 < value < 1e9:
        raise ValueError("weight must be a number above 0")
    return float(value)


def _parameters(node: ast.ClassDef) -> dict[str, Any]:
    """The keyword-only parameters of `__init__` and their defaults."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            parameters = {}
            arguments = statement.args
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
                if default is None:
                    raise ValueError(f"parameter {argument.arg} needs a default")
                parameters[argument.arg] = _literal(default, f"the default of {argument.arg}")
            return parameters
    return {}


def _defines(node: ast.ClassDef, method: str) -> bool:
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == method:
            return True
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == method for target in statement.targets
        ):
            return True
    return False


def _first_sentence(docstring: str | None) -> str:
    if not docstring:
        return ""
    text = " ".join(docstring.split("\n\n")[0].split())
    return text.split(". ")[0].rstrip(".") + "."


def _project_files(trees: Sequence[ast.Module]) -> tuple[tuple[str, bytes], ...]:
    """The files of the project's modules that a bot imports, directly or by way of others.

    Not the harness's: the engine's number stands for those.
    """
    found: dict[str, bytes] = {}
    waiting = [module for tree in trees for module in _imports(tree)]
    while waiting:
        module = waiting.pop()
        if module in found or module.split(".")[0] not in ("bots", "games"):
            continue
        spec = _spec(module)
        if spec is None or spec.origin is None:
            continue
        source = Path(spec.origin).read_bytes()
        found[module] = source
        waiting += _imports(ast.parse(source))
    return tuple(sorted(found.items()))


@cache
def _spec(module: str) -> Any:
    try:
        return importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None


def _imports(tree: ast.Module) -> set[str]:
    """The modules that a file names in its imports (`from a import b` may mean `a.b`)."""
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            modules.add(node.module)
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return modules


# --- Finding bots -------------------------------------------------------------------------------


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
