"""Older versions of bots, `hermit@ab12cd34`: from the files that a store keeps, to play again."""

from dataclasses import dataclass, replace

from harness.bot_files import bot_of, project_files
from harness.entrants import Entrant, builtin_bots, enter
from harness.errors import Falsified, UserError
from harness.store import Store

MOST_NAMED = 6
"""How many versions an error lists."""


@dataclass(frozen=True)
class Versions:
    """The versions that can be named: those that a store keeps, and the built-in bots' present."""

    store: Store

    def __call__(self, name: str, digest: str) -> Entrant:
        """The version of this bot whose hash begins so; UserError if there isn't just one.

        `name` may have its parameters with it, as labels do.
        """
        labels = {
            version: label
            for version, label in self.store.bot_labels().items()
            if name in (_name(label), _name(label).partition("(")[0])
        }
        found = {version: label for version, label in labels.items() if version.startswith(digest)}
        if not found:
            for bot in builtin_bots():
                present = enter(bot)
                if name == bot.name and present.version.startswith(digest):
                    return present
            known = sorted(labels.values())
            more = " …" if len(known) > MOST_NAMED else ""
            there = f"; there are: {', '.join(known[:MOST_NAMED])}{more}" if known else ""
            raise UserError(
                f"there is no version {name}@{digest} in {self.store.root / 'bots'}{there}"
                " (--results names another folder)"
            )
        if len(found) > 1:
            raise UserError(
                f"{name}@{digest} is more than one version: "
                + ", ".join(f"{_name(label)}@{version}" for version, label in sorted(found.items()))
            )
        return self.version(next(iter(found)))

    def version(self, version: str) -> Entrant:
        """The entrant with this whole hash; Falsified if its files aren't what they were.

        Its own files come from the store. The project's modules that it imports are those of here
        and now: if one has changed since, that version can't play any more (UserError).
        """
        kept = self.store.kept_bot(version)
        where = str(self.store.bot_path(version) / "own")
        if not kept.folder:
            where += f"/{kept.own[0][0]}"
        bot = bot_of(where, kept.name, kept.own, folder=kept.folder)
        then = replace(bot, files=kept.own + kept.project)
        if enter(then, kept.parameters).version != version:
            raise Falsified(f"{where}: these files aren't those of {kept.label}")
        entrant = enter(bot, kept.parameters)
        if entrant.version != version:
            was, now = dict(kept.project), dict(project_files(bot))
            changed = sorted(name for name in {*was, *now} if was.get(name) != now.get(name))
            raise UserError(
                f"{kept.label} can't play here: it imports {', '.join(changed)}, and that has"
                " changed since"
            )
        for present in builtin_bots():
            if (present.name, present.module, present.files) == (bot.name, kept.module, bot.files):
                return enter(present, kept.parameters)
        return entrant


def _name(label: str) -> str:
    return label.rpartition("@")[0]
