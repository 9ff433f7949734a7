"""How names and other texts of strangers are shown: short where that is clear, and harmless."""

from collections import Counter
from collections.abc import Sequence


def short_names(labels: Sequence[str]) -> dict[str, str]:
    """For people: labels without their versions, where no two are then alike."""
    names = Counter(label.rpartition("@")[0] for label in set(labels))
    return {
        label: label.rpartition("@")[0] if names[label.rpartition("@")[0]] == 1 else label
        for label in labels
    }


def harmless(text: str) -> str:
    """Text from a bot or a file without control characters, which could drive a terminal."""
    return "".join(
        c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text
    )
