"""What changed since an earlier run, as the end of a run prints it."""

from collections.abc import Sequence

from harness.cli.tables import Output, say, show
from harness.errors import UserError
from harness.store import Place, Store
from reports.names import short_names
from reports.since import Since, earlier, since

LATEST = "latest"


def changes_since(store: Store, folder: Place, text: str) -> list[Since] | None:
    """What changed; None where there is no earlier complete run of this name yet."""
    newest = text in (LATEST, folder.parent.name)
    before = earlier(store, folder) if newest else store.find_run(text)
    if before is not None and (before.parent.name, before.name) == (
        folder.parent.name,
        folder.name,
    ):
        raise UserError(f"--since {text}: that is this very run")
    return None if before is None else since(store, before, folder)


def show_since(found: Sequence[Since] | None) -> None:
    """Prints it, contest by contest."""
    if found is None:
        say("Nothing to compare with: it is the first complete run of its name.")
        return
    for each in found:
        _show(each)


def _show(one: Since) -> None:
    say(f"Contest {one.contest}, since {one.run}:")
    if one.new:
        say(f"  new: {', '.join(one.new)}")
    if one.gone:
        say(f"  gone: {', '.join(one.gone)}")
    for old, new in one.versions:
        say(f"  new version: {old} is now {new}")
    for fault in one.faults:
        kind = fault.kind or "faults"
        say(f"  new faults: {fault.bot}: {kind} in {fault.matches:,} matches")
    if not (one.new or one.gone or one.versions or one.faults):
        say("  the same bots, and no new faults")
    beyond = [change for change in one.changes if change.beyond]
    names = short_names([change.bot for change in one.changes])
    roles = any(change.role for change in one.changes)
    if beyond:
        rows = [
            {
                "bot": names[change.bot],
                **({"role": change.role} if roles else {}),
                "before": f"{change.before:+.0f}",
                "after": f"{change.after:+.0f}",
                "change": f"{change.change.value:+.0f}",
                "95 % interval": f"{change.change.low:+.0f} to {change.change.high:+.0f}",
            }
            for change in beyond
        ]
        show(rows, Output.table, "Ratings that changed beyond their intervals")
    if one.changes:
        say(f"  {one.words}")
    if one.note:
        say(f"  {one.note}")
