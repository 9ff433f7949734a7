"""What the file of a bot says of it, read (`ast`) without running it."""

import ast
import importlib.util
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from games.game import Game, Rules, spell
from harness.errors import UserError

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
