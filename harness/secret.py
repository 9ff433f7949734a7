"""Secret seeds: drawn for one run, kept for its operator alone, committed to, revealed at the end.

A run with `seed = "secret"` has 256 bits from the operating system as its key. Their SHA-256 stands
in the manifest before the first match, the bits themselves when the run is complete, so that nobody
can compute its cards before and everybody can check them afterwards. Until then they lie in
`secrets/` beside the results, readable by their owner alone: not to be published.
"""

import os
import re
import secrets
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from harness.errors import Falsified, UserError
from harness.files import Place
from harness.play.seeds import run_key, seed_id

SECRET = "secret"
"""What a config says instead of a number."""

FOLDER = "secrets"


def draw() -> bytes:
    """A new key: 256 bits."""
    return secrets.token_bytes(32)


def commitment(key: bytes) -> str:
    """What is published of a secret before the first match: its SHA-256."""
    return sha256(key).hexdigest()


def keep(root: Place, run: str, key: bytes) -> None:
    """Writes the secret of a run (`NAME/0007`) where only its owner can read it."""
    path = secret_path(root, run)
    for folder in (path.parent.parent, path.parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    aside = path.with_suffix(".part")
    aside.unlink(missing_ok=True)
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(key.hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)
    for folder in (path.parent, path.parent.parent):
        _sync(folder)


def recall(root: Place, run: str, manifest: Mapping[str, Any]) -> bytes:
    """The secret of a run that isn't revealed; UserError if it is gone, or another one."""
    path = secret_path(root, run)
    try:
        key = bytes.fromhex(path.read_text().strip())
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: the secret seed of {run} can't be read ({error})") from error
    if commitment(key) != manifest["commitment"]:
        raise UserError(f"{path}: this isn't the secret that {run} published the hash of")
    return key


def forget(root: Place, run: str) -> None:
    """Removes a secret that has been revealed."""
    secret_path(root, run).unlink(missing_ok=True)


def secret_path(root: Place, run: str) -> Path:
    """Where the secret of a run lies until it is revealed.

    That is beside the results, if these are on this machine; else among the user's own state, since
    an object store has no owner-only files.
    """
    if isinstance(root, Path):
        return root / FOLDER / f"{run}.key"
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return state / "fairdeal" / sha256(str(root).encode()).hexdigest()[:16] / FOLDER / f"{run}.key"


def reveal(manifest: dict[str, Any], key: bytes) -> None:
    """Puts the secret into the manifest."""
    manifest["seed"] = key.hex()


def is_secret(manifest: Mapping[str, Any]) -> bool:
    """Whether this run's seed is a secret that isn't revealed yet."""
    return manifest["seed"] is None


def revealed_key(manifest: Mapping[str, Any]) -> bytes | None:
    """The key of a run as anyone can know it: None as long as it is secret.

    Falsified if it isn't the one whose hash was published.
    """
    seed = manifest["seed"]
    if seed is None:
        return None
    if isinstance(seed, int):
        return run_key(seed)
    return checked(seed, manifest["seed_id"], manifest["commitment"])


def key_named(seed: str) -> bytes:
    """The key of a seed as a command line has it: a number, or a secret that was revealed."""
    if re.fullmatch("[0-9a-f]{64}", seed):
        return bytes.fromhex(seed)
    try:
        return run_key(int(seed))
    except ValueError:
        raise UserError(
            "--seed must be a whole number, or the 64 hexadecimal digits of a revealed seed, not"
            f" {seed[:80]!r}"
        ) from None


def checked(seed: str, name: str, committed: str) -> bytes:
    """A revealed secret as a key; Falsified if it isn't what was committed to."""
    try:
        key = bytes.fromhex(seed)
    except ValueError as error:
        raise Falsified(f"the seed {seed[:80]!r} is no number in hexadecimal digits") from error
    if commitment(key) != committed:
        raise Falsified(f"the seed {seed} doesn't have the hash that was published, {committed}")
    if seed_id(key) != name:
        raise Falsified(f"the seed {seed} is {seed_id(key)}, and rows say {name}")
    return key


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
