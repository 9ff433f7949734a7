"""Budgets: what a bot may use, and what it may import."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Budgets:
    """What a hosted bot may use. `inprocess` enforces none of it."""

    decision_seconds: float = 1.0
    """CPU time for one decision, with the events before it and the making of the bot."""
    match_seconds: float = 60.0
    """CPU time for all decisions of one match."""
    load_seconds: float = 10.0
    """CPU time to import the bot (and to `load` its folder)."""
    idle_seconds: float = 5.0
    """Wall time in which a host neither goes on nor uses CPU."""
    memory_mb: int = 512
    """Megabytes, as address space and resident."""
    packages: tuple[str, ...] = ()
    """Packages that bots may import beside the standard library."""


HEAVY = {"load_seconds": 30.0, "memory_mb": 2048}
"""What `heavy = true` changes, for learned bots."""
