"""Bots that misbehave, written to files as a stranger would submit them."""

from pathlib import Path

HEAD = "from harness.bot import Bot\n\n"

SOURCES = {
    "honest": """
class Honest(Bot):
    '''Plays the first legal action.'''
    def act(self, view, legal):
        return legal[0]
""",
    "illegal": """
class Illegal(Bot):
    def act(self, view, legal):
        return "3K"
""",
    "claims_equality": """
class Liar:
    def __eq__(self, other):
        return True
    def __hash__(self):
        return 0
class ClaimsEquality(Bot):
    def act(self, view, legal):
        return Liar()
""",
    "crash": """
class Crash(Bot):
    def act(self, view, legal):
        raise ZeroDivisionError("on purpose")
""",
    "quits": """
import sys
class Quits(Bot):
    def act(self, view, legal):
        sys.exit(0)
""",
    "bad_import": """
import no_such_module_anywhere
class BadImport(Bot):
    def act(self, view, legal):
        return legal[0]
""",
    "exits_on_import": """
raise SystemExit(3)
class ExitsOnImport(Bot):
    def act(self, view, legal):
        return legal[0]
""",
    "cannot_be_made": """
class CannotBeMade(Bot):
    def __init__(self, setup):
        raise RuntimeError("never")
    def act(self, view, legal):
        return legal[0]
""",
    "rude_text": """
class RudeText(Bot):
    '''\\x1b[31mRed [bold]markup[/bold].'''
    def act(self, view, legal):
        raise ValueError("\\x1b[2J[red]cleared[/red]")
""",
    "other_game": """
class OtherGame(Bot):
    games = ("tiddlywinks",)
    def act(self, view, legal):
        return legal[0]
""",
    "two_bots": """
class One(Bot):
    pass
class Two(Bot):
    pass
""",
    "no_bot": "x = 1\n",
    "syntax_error": "class Broken(Bot:\n",
    "listens": """
class Listens(Bot):
    '''Checks that it hears all that happens.'''
    def __init__(self, setup):
        super().__init__(setup)
        self.heard = []
    def observe(self, event):
        self.heard.append(event)
    def act(self, view, legal):
        played = 7 - len(view.hand) + 7 - view.other_size
        assert len([e for e in self.heard if type(e).__name__ == "Played"]) == played
        return legal[-1]
""",
    "with_parameters": """
class WithParameters(Bot):
    '''Plays the nth legal action.'''
    def __init__(self, setup, *, nth=0, fast=True):
        super().__init__(setup)
        self.nth = nth
    def act(self, view, legal):
        return legal[self.nth % len(legal)]
""",
}


def write(folder: Path, *names: str) -> list[Path]:
    """Writes these bots to files of their names."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in names:
        path = folder / f"{name}.py"
        path.write_text(HEAD + SOURCES[name])
        paths.append(path)
    return paths


def write_marker(folder: Path, marker: Path) -> Path:
    """A bot that leaves a mark when its file is run."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "marker.py"
    path.write_text(f"open({str(marker)!r}, 'a').write('run\\n')\n" + HEAD + SOURCES["honest"])
    return path
