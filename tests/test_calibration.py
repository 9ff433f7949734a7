"""The calibration campaign in a short form: a cell of each kind, and few tournaments."""

from math import sqrt

from tests.campaigns.calibration import CELLS, DUELS, coverage, errors


def test_intervals_cover_what_they_claim_in_more_seats_ties_and_roles() -> None:
    hits = tries = 0
    for cell in (CELLS[3], CELLS[5], CELLS[11]):
        found = coverage(cell, 40, seed=2)
        assert found.unrated == 0
        for hit, number in (found.ratings, found.differences, found.edge):
            hits, tries = hits + hit, tries + number
    assert tries > 900
    # Intervals of one tournament are related: about 120 tournaments, not 900 intervals.
    assert abs(hits / tries - 0.95) < 0.035


def test_duels_err_as_seldom_as_they_say() -> None:
    for cell in (DUELS[2], DUELS[5]):
        wrong, _ = errors(cell, 100, seed=3)
        assert wrong / 100 <= 0.05 + 2 * sqrt(0.05 * 0.95 / 100)
