"""Reads a contest's results from the store, as matches between the entrants' seats or teams."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from harness.errors import UserError
from harness.store import BadChunk, Place, Store, read_manifest, span_of

Array = np.ndarray[Any, np.dtype[Any]]
Found = TypeVar("Found")


FAR = 1 << 40
"""Keeps apart the deals of different seeds: tables of one run may be played under several."""


class Matches(NamedTuple):
    """Matches (m of them) between k sides: seats, or teams where there are teams."""

    deal: Array
    """(m,) the deal of each; those of a contest's second seed, its third … begin at multiples of
    `FAR`, so that equal numbers are the same shuffle."""
    side: Array
    """(m, k) the index of each side's player: an entrant, or an entrant in a role. The
    rows of narrower tables end in -1."""
    points: Array
    """(m, k) what each side scored; 1 in all."""
    fault: Array
    """(m,) the column of the side at fault, or -1."""


class Player(NamedTuple):
    """Whom a rating belongs to: an entrant, in a role where seats differ in kind."""

    bot: str
    role: str


class Contest(NamedTuple):
    """A contest of a run, as its manifest has it."""

    number: int
    """From 1."""
    about: dict[str, Any]
    store: Store
    run: Sequence[str] = ()
    """The chunks of all contests of the run."""

    @property
    def title(self) -> str:
        """The game and what is special about it."""
        about = self.about
        variant = f"{about['variant']}: " if "variant" in about else ""
        said = [f"{name} = {value}" for name, value in about["rules"].items()]
        for forbid in about.get("forbid", ()):
            whom = [f"{key} {forbid[key]}" for key in ("bot", "seat") if forbid[key] is not None]
            said.append(f"without {forbid['what']}" + (f" ({', '.join(whom)})" if whom else ""))
        if about.get("withhold"):
            said.append(f"without {about['withhold']}")
        if "stored" in about:
            said.append("unfinished: {} of {} chunks".format(*about["stored"]))
        return variant + ", ".join([about["game"], f"{about['players']} seats", *said])

    @property
    def bots(self) -> list[str]:
        """The entrants' labels."""
        return [entrant["label"] for entrant in self.about["entrants"]]

    @property
    def roles(self) -> list[str]:
        """The roles of its sides in order, or `[""]` where seats are alike."""
        return list(dict.fromkeys(self.about["roles"]))

    @property
    def players(self) -> list[Player]:
        """Whose ratings it gives, in the order of `Matches.side`."""
        return [Player(bot, role) for role in self.roles for bot in self.bots]

    def matches(self) -> Iterator[Matches]:
        """All its matches, a chunk at a time, ordered so that a span of deals stays together, and
        each seed's deals.

        Chunks of different tables may have different sizes; those that share deals follow each
        other. BadChunk if one is damaged.
        """
        for rows, start in self._rows(["deal", "bot", "points", "fault"]):
            yield self.sides(rows, start)

    def places(self) -> Iterator[tuple[Matches, Array]]:
        """As `matches`, each chunk with the places of its sides, (m, k)."""
        seats = len(self.about["teams"])
        firsts = _first_seats(self.about["teams"])
        for rows, start in self._rows(["deal", "bot", "points", "fault", "place"]):
            yield self.sides(rows, start), rows["place"].to_numpy().reshape(-1, seats)[:, firsts]

    def _rows(self, columns: list[str]) -> Iterator[tuple[pa.Table, int]]:
        """Each chunk, and what its deals' numbers are counted from."""
        for name, start in in_order(self.chunks()):
            yield self.read(name, columns), start

    def chunks(self) -> list[str]:
        """What is to be read of it, by table: its chunks, those in one file as one name."""
        return self.store.joined(_chunks([self.about]))

    def read(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A chunk's rows; BadChunk, if it is damaged, saying how many more of the run's are."""
        return self._told(name, lambda: self.store.read_chunk(name, columns))

    def columns(self, name: str) -> list[str]:
        """The columns of a chunk's rows; BadChunk as in `read`."""
        return self._told(name, lambda: self.store.column_names(name))

    def said(self, name: str) -> dict[str, Any]:
        """What a chunk says of itself; BadChunk as in `read`."""
        return self._told(name, lambda: self.store.chunk_metadata(name))

    def _told(self, name: str, ask: Callable[[], Found]) -> Found:
        try:
            return ask()
        except BadChunk as error:
            more = sum(not self._sound(other) for other in self._others(name))
            if not more:
                raise
            are = "chunk of this run is" if more == 1 else "chunks of this run are"
            raise BadChunk(f"{error}; {more:,} more {are} damaged or gone") from error

    def _others(self, name: str) -> Iterable[str]:
        failed = span_of(name)
        return (each for each in self.store.joined(self.run) if not span_of(each).holds(failed))

    def _sound(self, name: str) -> bool:
        try:
            self.store.read_chunk(name)
        except BadChunk:
            return False
        return True

    def chunk(self, name: str, start: int = 0) -> Matches:
        """The matches of one chunk, their deals counted from `start`."""
        return self.sides(self.read(name, ["deal", "bot", "points", "fault"]), start)

    def sides(self, rows: pa.Table, start: int) -> Matches:
        """A chunk's rows as matches, their deals counted from `start`."""
        index = {bot: number for number, bot in enumerate(self.bots)}
        found = sides(rows, self.about["teams"], self.about["roles"], index)
        return found._replace(deal=found.deal + start) if start else found

    def faults(self) -> tuple[Counter[tuple[str, str]], dict[tuple[str, str], dict[str, Any]]]:
        """How many matches each bot lost by each kind of fault, and the first of each in full."""
        numbers: Counter[tuple[str, str]] = Counter()
        firsts: dict[tuple[str, str], dict[str, Any]] = {}
        for name, _ in in_order(self.chunks()):
            rows = self.read(name, ["bot", "fault"])
            rows = rows.filter(rows["fault"].is_valid())
            numbers.update(zip(rows["bot"].to_pylist(), rows["fault"].to_pylist(), strict=True))
            for fault in json.loads(rows.schema.metadata[b"fairdeal"])["faults"]:
                firsts.setdefault((fault["bot"], fault["kind"]), fault)
        return numbers, firsts


def in_order(names: Iterable[str]) -> list[tuple[str, int]]:
    """Chunks, each with what its deals' numbers are counted from.

    By seed and first deal, the longest first, so that what shares deals with a chunk comes before
    those that begin beyond it.
    """
    spans = [span_of(name) for name in names]
    seeds = {seed: at for at, seed in enumerate(sorted({span.seed for span in spans}))}
    spans.sort(key=lambda span: (seeds[span.seed], span.first, -span.last, span.table))
    return [(span.name, FAR * seeds[span.seed]) for span in spans]


def _chunks(contests: Iterable[dict[str, Any]]) -> list[str]:
    """The chunks of contests as a manifest has them."""
    return [name for about in contests for table in about["tables"] for name in table["chunks"]]


def sides(
    rows: pa.Table, teams: Sequence[int], roles: Sequence[str], index: dict[str, int]
) -> Matches:
    """A chunk's rows, in seat order, as matches between sides; `teams` and `roles` go by seat.

    A team is one side, which scored what each of its seats did.
    """
    seats = len(teams)
    shape = (-1, seats)
    bot = rows["bot"].combine_chunks().dictionary_encode()
    known = np.array([index[label] for label in bot.dictionary.to_pylist()], dtype=np.int64)
    entrant = known[bot.indices.to_numpy(zero_copy_only=False)].reshape(shape)
    points = rows["points"].to_numpy().reshape(shape)
    faulty = rows["fault"].is_valid().to_numpy().reshape(shape)
    order = sorted(set(teams))
    first_of = _first_seats(teams)
    if len(order) < seats:
        faulty = np.stack([faulty[:, np.array(teams) == t].any(axis=1) for t in order], axis=1)
        points = points[:, first_of] / points[:, first_of].sum(axis=1, keepdims=True)
    kinds = list(dict.fromkeys(roles))
    role = np.array([kinds.index(roles[seat]) for seat in first_of])
    side = entrant[:, first_of] + len(index) * role
    fault = np.where(faulty.any(axis=1), faulty.argmax(axis=1), -1)
    return Matches(rows["deal"].to_numpy()[::seats], side, points, fault)


def _first_seats(teams: Sequence[int]) -> list[int]:
    """The first seat of each team."""
    return [list(teams).index(team) for team in sorted(set(teams))]


def _stored(store: Store, about: dict[str, Any]) -> dict[str, Any]:
    """A contest with those of its chunks that are stored; unless all are, it says how many."""
    tables = [
        table | {"chunks": [name for name in table["chunks"] if store.holder(name) is not None]}
        for table in about["tables"]
    ]
    there = sum(len(table["chunks"]) for table in tables)
    whole = sum(len(table["chunks"]) for table in about["tables"])
    return about if there == whole else about | {"tables": tables, "stored": (there, whole)}


def contests(store: Store, folder: Place) -> list[Contest]:
    """The contests of a run; of one that isn't complete as much as is stored of them.

    UserError where that is nothing.
    """
    manifest = read_manifest(folder)
    found = manifest["contests"]
    if manifest["status"] != "complete":
        kept = [_stored(store, about) for about in found]
        if _chunks(kept):
            found = kept
        elif manifest["status"] == "unfinished" and _chunks(found):
            raise UserError(
                f"{folder.parent.name}/{folder.name} is unfinished, and nothing of it is stored"
            )
    run = _chunks(found)
    return [Contest(number + 1, about, store, run) for number, about in enumerate(found)]
