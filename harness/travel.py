"""Games that travel: a folder of rules outside the package, for nodes that haven't got it.

Bots travel as they are, since an entrant holds its files.
"""

import os
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from harness.errors import UserError
from harness.files import write_whole

MOST_BYTES = 16 << 20


class GameFiles(NamedTuple):
    """The files of a game's folder."""

    name: str
    files: tuple[tuple[str, bytes], ...]
    """By path within it, sorted."""

    def unpacked(self) -> str:
        """The path of a folder on this machine that holds them, made if need be."""
        digest = blake2b(repr(self).encode(), digest_size=12).hexdigest()
        base = Path(tempfile.gettempdir()) / f"fairdeal-games-{os.getuid()}"
        base.mkdir(mode=0o755, exist_ok=True)  # hosts, which are other users', read it
        if base.lstat().st_uid != os.getuid() or base.is_symlink():
            raise UserError(f"{base}: it is another user's, so no game can be unpacked there")
        folder = base / digest / self.name
        for path, content in self.files:
            if not (folder / path).exists():
                write_whole(folder / path, content)
        return str(folder)


def packed(game: str) -> GameFiles | None:
    """The files of this game, or None for one that comes with Fairdeal."""
    if "/" not in game:
        return None
    folder = Path(game)
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            found.append((str(path.relative_to(folder)), path.read_bytes()))
    if sum(len(content) for _, content in found) > MOST_BYTES:
        raise UserError(f"game {game}: its folder has more than {MOST_BYTES >> 20} MB")
    return GameFiles(folder.resolve().name, tuple(found))
