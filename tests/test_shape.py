"""The shape of the code: who imports whom, and numbers that go up when rows change."""

import ast
import json
from pathlib import Path

import pytest

from tests import golden

ROOT = Path(__file__).parent.parent

MAY_IMPORT = {
    "games": {"games"},
    "bots": {"bots", "games", "harness.bot"},
    "reports": {"reports", "harness.store", "harness.summaries", "harness.errors"},
    "harness": {"harness", "games", "bots"},
    "harness/play": {
        "harness.play",
        "harness.bot",
        "harness.entrants",
        "harness.errors",
        "harness.games",
        "games",
    },
    "harness/cli": {"harness", "games", "reports"},
}
"""By folder, the deepest that is named here."""

OURS = ("games", "bots", "harness", "reports")


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return {name for name in found if name.split(".")[0] in OURS}


@pytest.mark.parametrize(
    "path",
    [path for folder in OURS for path in sorted((ROOT / folder).rglob("*.py"))],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_imports_point_one_way(path: Path) -> None:
    folder = str(path.parent.relative_to(ROOT))
    while folder not in MAY_IMPORT:
        folder = str(Path(folder).parent)
    for name in imports(path):
        allowed = MAY_IMPORT[folder]
        assert any(name == a or name.startswith(a + ".") for a in allowed), f"{path}: {name}"


def test_rows_change_only_with_a_number() -> None:
    """If this fails, raise the number that fits, then `python -m tests.golden`."""
    assert golden.present() == json.loads(golden.FILE.read_text())


def test_the_top_level_has_the_folders_that_everyone_expects() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "."}
    assert {"harness", "bots", "games", "configs", "reports", "tests"} <= folders
