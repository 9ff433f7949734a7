"""Tunes a study's bots to each of its variants, on deals of their own, before they compare."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from harness.adapting import Trial, adapted, plan_trials
from harness.cli.stages import Staged, Where, staged
from harness.cli.subject import subject_of
from harness.cli.tables import say
from harness.entrants import Entrant
from harness.study import StudyConfig
from harness.tournament import Plan, complete
from reports.balance.adapt import Tried, tried


class Adapted(NamedTuple):
    """What a bot became in a variant."""

    variant: str
    bot: str
    """As it is written."""
    became: str
    result: Tried
    deals: int

    def row(self) -> dict[str, Any]:
        """As tables and JSON have it."""
        low, high = self.result.gain.interval()
        return {
            "variant": self.variant,
            "bot": self.bot,
            "became": self.became,
            "gain": self.result.gain.value,
            "low": low,
            "high": high,
            "tried": self.result.number,
            "deals": self.deals,
        }


def retune(planned: Plan, said: StudyConfig, where: Where) -> tuple[Plan, list[Adapted]]:
    """The study with each bot that adapts at its best in each variant, and what that is.

    Best is the most points a match against the rest of the field as it is written; the trials are a
    run of their own, `NAME-retune`, with a seed of their own.
    """
    plan, trials = plan_trials(planned, said)
    chosen: list[dict[str, Entrant]] = [{} for _ in planned.contests]
    found = []
    if trials:
        names = [f"{said.variants[one.variant]}: {one.entrant.name}" for one in trials]
        if not where.quiet:
            say(f"{_who(trials)} first, on {said.retune_deals:,} deals of its own a variant.")
        with staged(plan, where, names, f"{said.name}, tuning its bots") as under_way:
            under_way.to([[said.retune_deals]] * len(trials))
            results = _results(plan, trials, under_way)
            summaries = [{"best": best.best, "tried": best.number} for best in results]
            complete(under_way.run, under_way.store, summaries)
        for one, best in zip(trials, results, strict=True):
            entrant = next(each for each in one.candidates if each.label == best.best)
            chosen[one.variant][one.entrant.label] = entrant
            variant = said.variants[one.variant]
            found.append(Adapted(variant, one.entrant.name, entrant.name, best, said.retune_deals))
    return adapted(planned, chosen), found


def _results(plan: Plan, trials: Sequence[Trial], under_way: Staged) -> list[Tried]:
    subject = subject_of(plan, 5.0)
    return [
        tried(stored, subject, contest.deals or 0, [each.label for each in one.candidates])
        for stored, contest, one in zip(under_way.contests, plan.contests, trials, strict=True)
    ]


def _who(trials: Sequence[Trial]) -> str:
    names = list(dict.fromkeys(one.entrant.name for one in trials))
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} tuned to each variant"
