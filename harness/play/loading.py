"""Loading a bot's class: the only place where a submitted file is run."""

import importlib
import importlib.util
import sys
import types
from hashlib import blake2b
from pathlib import Path
from typing import Any


def load_class(
    module: str | None, class_name: str, folder: str | None, source: tuple[str, bytes]
) -> Any:
    """The class of a bot: of a built-in `module`, or of a file run from its bytes.

    `source` is the file's name and content. A bot that is a folder is run as a package at
    `folder`, so that its `bot.py` may import what lies beside it (`from . import model`). Raises
    whatever the bot's code does.
    """
    if module is not None:
        return getattr(importlib.import_module(module), class_name)
    name, content = source
    # A folder's package is named by the folder: two bots may share a bot.py and not their data.
    own = content + (folder or "").encode()
    package = f"submitted_{blake2b(own, digest_size=8).hexdigest()}"
    made = types.ModuleType(package if folder is None else f"{package}.bot")
    if folder is not None:
        parent = types.ModuleType(package)
        parent.__path__ = [folder]
        sys.modules[package] = parent
        made.__package__ = package
        made.__file__ = str(Path(folder) / name)
    else:
        made.__file__ = name
    sys.modules[made.__name__] = made
    exec(compile(content, name, "exec"), made.__dict__)
    return getattr(made, class_name)
