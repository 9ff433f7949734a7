"""Reuse: under which seed each table of a run plays, so that unchanged ones keep their rows.

With a public seed every table plays under it. With secret ones, a table that the newest earlier
runs of the same name played, with the same table key, goes on under their seed: its rows are there,
and only deals that are missing are played. That is safe although the seed is revealed: the table
key pins all versions at the table, and they were pinned before the run that drew the seed began,
so none of them can have been written with its deals in view. For the same reason every other table
plays under the new seed: any version there may be newer than the reveal. A public seed's rows are
never reused under a secret one, since every version may know them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from harness import secret
from harness.errors import UserError
from harness.store import Place, Store, read_manifest, write_manifest
from harness.tournament import Plan, run_name


class Earlier(NamedTuple):
    """A seed of an earlier run, revealed."""

    key: bytes
    seed_id: str
    run: str
    """Whose seed it is."""
    commitment: str


def with_seeds(plan: Plan, store: Store) -> Plan:
    """The plan with its keys: its own, and those of earlier nights for tables that keep their rows.

    An unfinished run of the same plan goes on under its own secret. Nothing is written here.
    """
    if plan.config.seed != secret.SECRET:
        return plan
    going = _going_on(plan, store)
    if going is not None:
        return going
    plan = replace(plan, key=secret.draw())
    left = {table.key for contest in plan.contests for table in contest.tables}
    seeds: dict[str, Earlier] = {}
    for folder in reversed(store.run_folders(plan.config.name)):
        for table, seed in tables_of(folder) if left else ():
            if table in left and seed.seed_id in store.seeds_of(table):
                seeds[table] = seed
                left.discard(table)
    return _with(plan, seeds)


def _going_on(plan: Plan, store: Store) -> Plan | None:
    """The plan with the keys of the unfinished run that it goes on with, if there is one."""
    for folder in store.run_folders(plan.config.name)[-1:]:
        manifest = read_manifest(folder)
        if manifest["status"] != "unfinished" or manifest["pins"] != plan.pins:
            return None
        try:
            key = secret.recall(store.root, run_name(folder), manifest)
        except UserError:
            return None  # `close_abandoned` has said so
        seeds = _others(manifest)
        return _with(
            replace(plan, key=key),
            {
                table["key"]: seeds[table["seed_id"]]
                for contest in manifest["contests"]
                for table in contest["tables"]
                if table["seed_id"] in seeds
            },
        )
    return None


def _with(plan: Plan, seeds: Mapping[str, Earlier]) -> Plan:
    keys = {table: seed.key for table, seed in seeds.items()}
    about = {
        seed.seed_id: {"run": seed.run, "seed": seed.key.hex(), "commitment": seed.commitment}
        for seed in seeds.values()
    }
    return replace(plan, keys=keys, seeds=about)


def tables_of(folder: Place) -> Iterator[tuple[str, Earlier]]:
    """The tables of an earlier run by their keys, each with its seed, if that is a secret which is
    revealed by now; none of a run whose rows were removed or whose manifest can't be read.
    """
    try:
        manifest = read_manifest(folder)
        if not manifest.get("commitment") or manifest.get("rows_removed") is not None:
            return
        seeds = _others(manifest)
        key = secret.revealed_key(manifest)
    except UserError:
        return
    if key is not None:
        own = manifest["seed_id"]
        seeds[own] = Earlier(key, own, run_name(folder), manifest["commitment"])
    for contest in manifest["contests"]:
        for table in contest["tables"]:
            if table["seed_id"] in seeds:
                yield table["key"], seeds[table["seed_id"]]


def _others(manifest: Mapping[str, Any]) -> dict[str, Earlier]:
    """The seeds of earlier runs that a run used, by their ids; Falsified if one is false."""
    return {
        name: Earlier(
            secret.checked(about["seed"], name, about["commitment"]),
            name,
            about["run"],
            about["commitment"],
        )
        for name, about in manifest["seeds"].items()
    }


def keys_of(manifest: Mapping[str, Any]) -> dict[str, bytes]:
    """All keys of a run that are known, by the ids of their seeds; Falsified if one is false."""
    keys = {name: seed.key for name, seed in _others(manifest).items()}
    own = secret.revealed_key(manifest)
    return keys if own is None else keys | {manifest["seed_id"]: own}


# --- Runs that are given up -----------------------------------------------------------------------


def close_abandoned(plan: Plan, store: Store) -> list[str]:
    """Closes the newest run of this name if its seed is secret and the plan can't go on with it.

    Its seed is revealed, so that its tables' rows can be reused. Says so in words.
    """
    for folder in store.run_folders(plan.config.name)[-1:]:
        manifest = read_manifest(folder)
        if manifest["status"] != "unfinished" or not secret.is_secret(manifest):
            continue
        try:
            if manifest["pins"] != plan.pins:
                close(store, folder, manifest)
                return [
                    f"{run_name(folder)} was not finished, and its bots, rules, deals, seed or"
                    " engine were others: it is closed, and its seed revealed; a new run begins"
                ]
            secret.recall(store.root, run_name(folder), manifest)
        except UserError as error:
            manifest["status"] = "closed"
            write_manifest(folder, manifest)
            return [f"{error}: {run_name(folder)} is closed, and a new run begins"]
    return []


def close(store: Store, folder: Place, manifest: dict[str, Any]) -> None:
    """Reveals the secret of a run that won't be finished; UserError if it is gone."""
    key = secret.recall(store.root, run_name(folder), manifest)
    secret.reveal(manifest, key)
    manifest["status"] = "closed"
    write_manifest(folder, manifest)
    secret.forget(store.root, run_name(folder))
