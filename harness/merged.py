"""Several chunks in one file: how their rows and what they say of themselves are put together.

A merged file's rows are those of its chunks, in the order of deals. Its metadata has what all of
them share, and under `parts`, for each chunk, its `deals, faults, faulted, looks`: so any of them,
or any other range of its deals, can be told apart again.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from harness.spans import Span

OWN = ("deals", "faults", "faulted", "looks")
"""What differs between the chunks of a table."""

Plain = dict[str, Any]


def rows_of(rows: pa.Table, whole: Span, wanted: Span) -> pa.Table:
    """The rows of some deals; every deal has equally many."""
    if len(rows) % whole.deals:
        raise ValueError(f"{len(rows)} rows for {whole.deals} deals")
    each = len(rows) // whole.deals
    return rows.slice((wanted.first - whole.first) * each, wanted.deals * each)


def about_span(about: Plain, wanted: Span, faulted: Callable[[], dict[str, int]]) -> Plain:
    """What a file says of some of its deals; `faulted` counts their faults where it doesn't say."""
    parts = _parts(about)
    common = {key: value for key, value in about.items() if key not in ("parts", *OWN)}
    chosen = _tiling(parts, wanted)
    if chosen is not None:
        numbers: Counter[str] = Counter()
        for part in chosen:
            numbers.update(part["faulted"])
        parts, found = chosen, dict(numbers)
    else:
        found = faulted()

    def inside(kind: str) -> list[Any]:
        seen = [each for part in parts for each in part.get(kind, ())]
        seen = [each for each in seen if wanted.first <= each["deal"] <= wanted.last]
        return [each for at, each in enumerate(seen) if each not in seen[:at]]

    return {
        **common,
        "deals": [wanted.first, wanted.last],
        "faults": inside("faults"),
        "faulted": found,
        "looks": inside("looks"),
    }


def _parts(about: Plain) -> list[Plain]:
    """The chunks in a file, by first deal, the longest first."""
    parts = about["parts"] if "parts" in about else [{k: about[k] for k in OWN if k in about}]
    return sorted(parts, key=lambda part: (part["deals"][0], -part["deals"][1]))


def _tiling(parts: Sequence[Plain], wanted: Span) -> list[Plain] | None:
    """Chunks that have these deals, each once; None where there are none."""
    at, found = wanted.first, []
    for part in parts:
        first, last = part["deals"]
        if first == at and last <= wanted.last:
            found.append(part)
            at = last + 1
    return found if at == wanted.last + 1 else None


# --- Merging ------------------------------------------------------------------------------------


def merge(files: Sequence[tuple[Span, pa.Table]]) -> tuple[Span, pa.Table]:
    """One file of several, by first deal, of a table and seed; what overlaps is taken once.

    ValueError if there is a gap between them or if they are not the same but for their deals.
    """
    (whole, first), *others = files
    abouts = [json.loads(rows.schema.metadata[b"fairdeal"]) for _, rows in files]
    common = {key: value for key, value in abouts[0].items() if key not in ("parts", *OWN)}
    pieces = [first]
    for (span, rows), about in zip(others, abouts[1:], strict=True):
        other = {key: value for key, value in about.items() if key not in ("parts", *OWN)}
        if other != common or rows.schema.names != first.schema.names:
            raise ValueError(f"{span.name} isn't as what comes before it")
        if span.first > whole.last + 1:
            raise ValueError(f"deals {whole.last + 1} to {span.first - 1} are missing")
        if span.last > whole.last:
            pieces.append(rows_of(rows, span, span._replace(first=whole.last + 1)))
            whole = whole._replace(last=span.last)
    parts: list[Plain] = []
    for about in abouts:
        parts += [part for part in _parts(about) if part not in parts]
    parts.sort(key=lambda part: (part["deals"][0], -part["deals"][1]))
    said = {**common, "deals": [whole.first, whole.last], "parts": parts}
    rows = pa.concat_tables([piece.replace_schema_metadata() for piece in pieces])
    return whole, rows.combine_chunks().replace_schema_metadata({"fairdeal": json.dumps(said)})


def same_rows(a: tuple[Span, pa.Table], b: tuple[Span, pa.Table], timing: Sequence[str]) -> bool:
    """Whether the deals that two files share have the same rows, timing columns aside."""
    shared = a[0]._replace(first=max(a[0].first, b[0].first), last=min(a[0].last, b[0].last))
    if shared.last < shared.first:
        return True
    one, two = (rows_of(rows, span, shared).replace_schema_metadata() for span, rows in (a, b))
    names = [name for name in one.column_names if name not in timing]
    return one.column_names == two.column_names and bool(
        one.select(names).equals(two.select(names))
    )
