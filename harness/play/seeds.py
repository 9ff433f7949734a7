"""Seeds: keyed hashes of the run's seed and of names, so that rows depend on these alone."""

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b

from games.chance import permuted, uniform


def run_key(seed: int) -> bytes:
    """The key of everything that a run with this seed draws: 32 bytes."""
    return blake2b(str(seed).encode(), digest_size=32, person=b"fairdeal run").digest()


def seed_id(key: bytes) -> str:
    """Names a run's seed in rows and file names without telling it."""
    return blake2b(key, digest_size=6, person=b"fairdeal seed id").hexdigest()


def deal_seed(key: bytes, game: str, players: int, deal: int) -> int:
    """A deal's own seed (64 bits), the same under all rules of the game."""
    name = f"{game}/{players}/{deal}"
    return int.from_bytes(blake2b(name.encode(), digest_size=8, key=key).digest(), "big")


def bot_seeds(deal: int, players: int) -> list[int]:
    """For each seat the seed of the source of whichever bot has it, from the deal's own seed."""
    key = deal.to_bytes(8, "big")
    digest = blake2b(b"bots", digest_size=8 * players, key=key).digest()
    return [int.from_bytes(digest[start : start + 8], "big") for start in range(0, 8 * players, 8)]


def seatings(key: bytes, table: Sequence[str], deal: int) -> list[tuple[int, ...]]:
    """All seatings of a table for this deal: for each the index into `table` by seat.

    They are the rotations of one cyclic order, which is drawn anew for each deal, so that every
    entrant has every seat once and neighbours vary.
    """
    if len(table) == 2:
        return [(0, 1), (1, 0)]
    others = list(range(1, len(table)))
    if others:
        name = "\n".join(["order", str(deal), *table])
        order_seed = int.from_bytes(blake2b(name.encode(), digest_size=8, key=key).digest(), "big")
        luck = uniform(order_seed, 0, len(others))
        others = permuted(others, luck)
    return [*rotations(0, *others)]


@cache
def rotations(*order: int) -> tuple[tuple[int, ...], ...]:
    """Of a cyclic order, each with another one in the first seat."""
    return tuple([order[-turn:] + order[:-turn] for turn in range(len(order))])
