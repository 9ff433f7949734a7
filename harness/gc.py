"""What can go from a store, and what can be put together? A plan of it, and its steps.

Every step leaves a store that can be read: a run is marked before any of its chunks goes, and a
merged file is there, whole, before the files that it replaces go.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple

from harness.files import size_of
from harness.merged import merge, same_rows
from harness.play.chunk import TIMING
from harness.spans import Span, block_of, holder, span_of
from harness.store import BadChunk, Entry, Place, Store, read_manifest, write_manifest

MERGED_ROWS = 1 << 18
"""Rows of a merged file, at most: readers hold one file at a time."""

DAY = 86400.0
"""Seconds for which damaged and half-written files stay."""


class Sweep(NamedTuple):
    """What is to be done to a store."""

    kept: list[Place]
    """The folders of the runs whose chunks all stay."""
    ended: list[Place]
    """The folders of the runs some of whose chunks go now: their summaries are what stays."""
    chunks: list[Entry]
    bots: list[Entry]
    """Folders, with the sizes of what is in them."""
    leftovers: list[Entry]
    """Damaged and half-written files, and half-written folders of bots."""
    merges: list[list[Span]]
    """Files that can become one."""


class Merged(NamedTuple):
    """What merging did."""

    before: int
    """Files."""
    after: int
    freed: int
    """Bytes."""
    failed: list[str]
    """Why others stayed as they are, a line each."""


def plan_sweep(store: Store, keep: int, now: float) -> Sweep:
    """What goes if the chunks of the newest `keep` finished runs of each name stay, and those of
    every unfinished one. UserError if a manifest is damaged: what its run needs isn't known then.
    """
    manifests = {folder: read_manifest(folder) for folder in store.run_folders()}
    kept = _kept(manifests, keep)
    sizes = store.files()
    by_table: dict[str, list[Span]] = defaultdict(list)
    for file in sizes:
        by_table[file.table].append(file)
    wanted = _by_table(manifests[folder] for folder in kept)
    resumed = _to_be_resumed(manifests)
    staying: dict[str, list[Span]] = {}
    going: list[Span] = []
    for table, files in by_table.items():
        needed = {holder(span, files) for span in wanted.get(table, ())}
        needed |= {file for file in files if (table, file.seed) in resumed}
        staying[table] = [file for file in files if file in needed]
        going += [file for file in files if file not in needed]
    ended = [
        folder
        for folder, manifest in manifests.items()
        if folder not in kept
        and manifest.get("rows_removed") is None
        and _loses(manifest, by_table, set(going))
    ]
    versions = {
        entrant["version"]
        for folder in kept
        for contest in manifests[folder]["contests"]
        for entrant in contest["entrants"]
    }
    return Sweep(
        kept,
        ended,
        [Entry(f"chunks/{file.name}", sizes[file]) for file in going],
        [bot for bot in store.kept_versions() if bot.path.rpartition("/")[2] not in versions],
        store.leftovers(now - DAY),
        _merges(staying, _rows_a_deal(manifests[folder] for folder in kept)),
    )


def _kept(manifests: dict[Place, dict[str, Any]], keep: int) -> list[Place]:
    """The runs whose chunks stay; folders come oldest first."""
    by_name: dict[str, list[Place]] = defaultdict(list)
    for folder, manifest in manifests.items():
        if not _unfinished(manifest):
            by_name[folder.parent.name].append(folder)
    newest = {folder for folders in by_name.values() for folder in folders[-keep:]}
    return [
        folder
        for folder, manifest in manifests.items()
        if manifest.get("rows_removed") is None and (folder in newest or _unfinished(manifest))
    ]


def _unfinished(manifest: dict[str, Any]) -> bool:
    return bool(manifest["status"] == "unfinished")


def _to_be_resumed(manifests: dict[Place, dict[str, Any]]) -> set[tuple[str, str]]:
    """The tables, each with its seed, of runs that the next `fairdeal run` may go on with: the
    newest of their name.

    Such a run may have stored chunks that its manifest doesn't list yet.
    """
    newest = {folder.parent.name: manifest for folder, manifest in manifests.items()}
    return {
        (table["key"], table["seed_id"])
        for manifest in newest.values()
        if _unfinished(manifest)
        for contest in manifest["contests"]
        for table in contest["tables"]
    }


def _names(manifest: dict[str, Any]) -> Iterable[str]:
    return (
        name
        for contest in manifest["contests"]
        for table in contest["tables"]
        for name in table["chunks"]
    )


def _by_table(manifests: Iterable[dict[str, Any]]) -> dict[str, set[Span]]:
    found: dict[str, set[Span]] = defaultdict(set)
    for manifest in manifests:
        for name in _names(manifest):
            span = span_of(name)
            found[span.table].add(span)
    return found


def _loses(manifest: dict[str, Any], there: dict[str, list[Span]], gone: set[Span]) -> bool:
    """Whether any of a run's chunks goes, or is gone already."""
    spans = map(span_of, _names(manifest))
    return any(
        (file := holder(span, there.get(span.table, ()))) is None or file in gone for span in spans
    )


# --- Merging ------------------------------------------------------------------------------------


def _rows_a_deal(manifests: Iterable[dict[str, Any]]) -> dict[str, int]:
    """The rows of one deal, by table."""
    found = {}
    for manifest in manifests:
        for contest in manifest["contests"]:
            rows = len(set(contest["teams"])) * contest["players"]
            for table in contest["tables"]:
                for name in table["chunks"][:1]:
                    found[span_of(name).table] = rows
    return found


def _merges(staying: dict[str, list[Span]], rows_a_deal: dict[str, int]) -> list[list[Span]]:
    """Neighbours of one table and seed that are small enough to be one file.

    Merged files, as chunks, lie within aligned blocks of 2^k deals.
    """
    found = []
    for table, files in staying.items():
        if table not in rows_a_deal:
            continue
        block = 1 << (max(1, MERGED_ROWS // rows_a_deal[table]).bit_length() - 1)
        small = [file for file in files if block_of(file) <= block]
        small.sort(key=lambda file: (file.seed, file.first, -file.last))
        for _, group in groupby(small, key=lambda file: (file.seed, file.first // block)):
            found += _neighbours(list(group))
    return found


def _neighbours(files: Sequence[Span]) -> list[list[Span]]:
    """Files without a gap between them, two or more together."""
    found: list[list[Span]] = []
    reach = -2
    for file in files:
        if found and file.first <= reach + 1:
            found[-1].append(file)
        else:
            found.append([file])
        reach = max(reach, file.last) if len(found[-1]) > 1 else file.last
    return [group for group in found if len(group) > 1]


def merge_files(store: Store, groups: Iterable[Sequence[Span]]) -> Merged:
    """Makes one file of each group. What is damaged stays, and what differs where it overlaps."""
    before = after = freed = 0
    failed: list[str] = []
    for group in groups:
        sizes = {file: size_of(store.chunk_path(file.name)) for file in group}
        try:
            for part in _alike(store, group):
                if len(part) < 2:
                    continue
                whole, rows = merge([(file, store.read_whole(file.name)) for file in part])
                size = store.write_chunk(whole.name, rows)
                for file in part:
                    if file != whole:
                        store.remove(f"chunks/{file.name}")
                before += len(part)
                after += 1
                freed += sum(sizes[file] for file in part) - size
        except (BadChunk, ValueError) as error:
            failed.append(str(error))
    return Merged(before, after, freed, failed)


def _alike(store: Store, group: Sequence[Span]) -> list[list[Span]]:
    """The group, divided where files that overlap don't have the same rows.

    That can only be where matches ended by a clock: such rows are no function of the seed.
    """
    found = [[group[0]]]
    for file in group[1:]:
        overlapping = [other for other in found[-1] if other.last >= file.first]
        rows = (file, store.read_whole(file.name)) if overlapping else None
        if rows is None or all(
            same_rows((other, store.read_whole(other.name)), rows, TIMING) for other in overlapping
        ):
            found[-1].append(file)
        else:
            found.append([file])
    return found


# --- Removing -----------------------------------------------------------------------------------


def sweep(store: Store, found: Sweep) -> int:
    """Marks the runs whose chunks go, and removes what is to go; returns the bytes freed."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    for folder in found.ended:
        write_manifest(folder, read_manifest(folder) | {"rows_removed": now})
    freed = 0
    for entry in (*found.chunks, *found.leftovers, *found.bots):
        store.remove(entry.path)
        freed += entry.size
    for table in {entry.path.split("/")[1] for entry in found.chunks}:
        store.remove_empty(table)
    return freed
