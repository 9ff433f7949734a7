"""Exactly the code that decides what is in a row: matches, seeds, faults, chunks.

Whoever changes what a row says raises `ENGINE` by one; a golden digest in the tests fails until
that is done.
"""

ENGINE = 1
"""The engine's number: part of every table key."""

SCHEMA = 1
"""The number of the rows' schema: which columns every game's rows have, and what they mean."""
