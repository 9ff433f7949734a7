"""Bots are read without being run, found by name, and versioned by all that they are."""

from pathlib import Path

import pytest

from harness.bot_files import BadBot, read_bot
from harness.entrants import (
    builtin_bots,
    enter,
    find_bots,
    find_one,
    split_parameters,
    submitted_name,
)
from harness.errors import UserError
from harness.games import find_game
from tests import doubles

FOX = find_game("forest_fox")


def bot_file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "head",
    [
        "from harness.bot import Bot\nclass B(Bot): ...",
        "from harness.bot import Bot as Base\nclass B(Base): ...",
        "import harness.bot\nclass B(harness.bot.Bot): ...",
        "import harness.bot as api\nclass B(api.Bot): ...",
        "from harness import bot\nclass B(bot.Bot): ...",
        "from harness import bot as b\nclass Other: ...\nclass B(b.Bot): ...",
    ],
)
def test_the_bot_is_the_class_whose_base_is_bot_under_whatever_name(
    tmp_path: Path, head: str
) -> None:
    assert read_bot(bot_file(tmp_path / "b.py", head), "b").class_name == "B"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class B: ...", "it has no bot; there must be one class whose base is harness.bot.Bot"),
        ("from harness.bot import Bot\nclass B(Bot): ...\nclass C(Bot): ...", "2 bots (B, C)"),
        ("def", ":1: invalid syntax"),
        ("x = 'a\x00b'", "source code string cannot contain null bytes"),
        (
            "from harness.bot import Bot\nclass B(Bot):\n games = open('x')",
            "games must be a literal",
        ),
        ("from harness.bot import Bot\nclass B(Bot):\n games = (1,)", "games must be names"),
        ("from harness.bot import Bot\nclass B(Bot):\n seats = 3", "seats must be numbers"),
        ("from harness.bot import Bot\nclass B(Bot):\n weight = -1", "weight must be a number"),
        ("from harness.bot import Bot\nclass B(Bot):\n needs = {'a': 1}", "needs must be values"),
        (
            "from harness.bot import Bot\nclass B(Bot):\n def __init__(self, s, *, n): ...",
            "parameter n needs a default",
        ),
    ],
)
def test_a_file_that_is_no_bot_says_why(tmp_path: Path, text: str, message: str) -> None:
    path = bot_file(tmp_path / "b.py", text)
    with pytest.raises(BadBot) as error:
        read_bot(path, "b")
    assert message in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_deep_nesting_is_an_error_and_no_crash(tmp_path: Path) -> None:
    path = bot_file(tmp_path / "b.py", "x = " + "(" * 10_000 + ")" * 10_000)
    with pytest.raises(BadBot):
        read_bot(path, "b")


def test_reading_never_runs_a_file(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    path = doubles.write_marker(tmp_path / "author", marker)
    entrant = find_one(str(path), FOX, Path())
    assert entrant.bot.name == "author/marker"
    assert not marker.exists()


def test_what_a_file_says_of_itself(tmp_path: Path) -> None:
    [path] = doubles.write(tmp_path / "author", "with_parameters")
    bot = read_bot(path, submitted_name(path))
    assert bot.name == "author/with_parameters"
    assert bot.about == "Plays the nth legal action."
    assert bot.parameters == {"nth": 0, "fast": True}
    assert not bot.observes
    [path] = doubles.write(tmp_path / "author", "listens")
    assert read_bot(path, "listens").observes


def test_a_version_is_a_hash_of_files_and_parameters(tmp_path: Path) -> None:
    [path] = doubles.write(tmp_path / "author", "with_parameters")
    bot = read_bot(path, "b")
    plain, same, other = enter(bot), enter(bot, {"nth": 0}), enter(bot, {"nth": 1})
    assert plain.label == same.label
    assert plain.version != other.version
    assert other.label == f"b(nth=1)@{other.version[:8]}"
    path.write_text(path.read_text() + "\n")
    assert enter(read_bot(path, "b")).version != plain.version


def test_a_version_changes_with_the_projects_modules_that_it_imports(tmp_path: Path) -> None:
    text = "from harness.bot import Bot\nimport games.forest_fox.rules\nclass B(Bot): ...\n"
    files = dict(read_bot(bot_file(tmp_path / "b.py", text), "b").files)
    assert {"b.py", "games.forest_fox.rules", "games.game", "games.cards"} <= set(files)
    assert not any(name.startswith("harness") for name in files)


def test_unknown_names_and_parameters_are_user_errors(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no bot 'hermit' for forest_fox; there are: "):
        find_bots("hermit", FOX, tmp_path)
    with pytest.raises(UserError, match="humble has no parameter 'x'; it has: none"):
        find_bots("humble(x=1)", FOX, tmp_path)
    with pytest.raises(UserError, match="parameters are written name"):
        find_bots("humble(x=", FOX, tmp_path)
    with pytest.raises(UserError, match="parameters are written name"):
        split_parameters("humble(open('x'))")


def test_globs_find_bots_and_leave_out_what_is_none(tmp_path: Path) -> None:
    doubles.write(tmp_path / "ann", "honest", "no_bot", "syntax_error")
    doubles.write(tmp_path / "bob", "honest", "other_game")
    entrants, left_out = find_bots("*/*.py", FOX, tmp_path)
    assert [entrant.bot.name for entrant in entrants] == ["ann/honest", "bob/honest"]
    assert len(left_out) == 3
    assert any("tiddlywinks" in why for why in left_out)
    entrants, left_out = find_bots("nobody/*.py", FOX, tmp_path)
    assert not entrants
    assert "there is no such file" in left_out[0]


def test_a_bot_for_other_rules_or_seats_is_left_out(tmp_path: Path) -> None:
    path = bot_file(
        tmp_path / "b.py",
        "from harness.bot import Bot\nclass B(Bot):\n needs = {'leader': ['trick_winner']}\n",
    )
    assert "it needs leader" in find_bots(str(path), FOX, Path(), 2, FOX.rules())[1][0]
    rules = FOX.rules.read({"leader": "trick_winner"})
    assert find_bots(str(path), FOX, Path(), 2, rules)[0]


def test_every_built_in_bot_has_a_sentence_and_a_name_of_its_own() -> None:
    bots = builtin_bots()
    assert all(bot.about.endswith(".") and len(bot.about) > 20 for bot in bots)
    keys = [(name, bot.name) for bot in bots for name in bot.games or ("*",)]
    assert len(set(keys)) == len(keys)
