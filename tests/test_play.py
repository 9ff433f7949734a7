"""Matches between bots: who is asked, what a fault does, seeds and seatings."""

import json
from pathlib import Path

import pytest

from games.chance import Chance, permuted, uniform
from harness.entrants import Entrant, find_one, load
from harness.games import find_game
from harness.play.chunk import TIMING, play_chunk
from harness.play.inprocess import play
from harness.play.match import Ended
from harness.play.seeds import bot_seeds, deal_seed, run_key, seatings
from harness.play.tables import Chunk, chunk_deals, chunks_of, make_table
from harness.records import record, verify
from tests import doubles

FOX = find_game("forest_fox")


def entrant(tmp_path: Path, name: str) -> Entrant:
    if name in doubles.SOURCES:
        [path] = doubles.write(tmp_path / "author", name)
        return find_one(str(path), FOX, Path())
    return find_one(name, FOX, Path())


def one_match(tmp_path: Path, *names: str, seed: int = 5) -> tuple[Ended, list[str]]:
    entrants = [entrant(tmp_path, name) for name in names]
    moves: list[str] = []
    listeners = [seat for seat, each in enumerate(entrants) if each.bot.observes]
    state = FOX.state(FOX.rules(), 2, Chance(FOX.pack, seed, log=moves), listeners)
    ended, _ = play(FOX, state, [load(each) for each in entrants], bot_seeds(seed, 2), moves)
    line = record(FOX, FOX.rules(), 2, names, None, moves, ended.result)
    verify(line)
    return ended, moves


@pytest.mark.parametrize(
    ("double", "kind", "word"),
    [
        ("illegal", "illegal", "'3K'"),
        ("claims_equality", "illegal", "Liar"),
        ("crash", "crash", "ZeroDivisionError: on purpose"),
        ("quits", "crash", "SystemExit"),
        ("bad_import", "load", "no_such_module_anywhere"),
        ("exits_on_import", "load", "SystemExit: 3"),
        ("cannot_be_made", "load", "RuntimeError: never"),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_fault_ends_the_match_and_loses_it(
    tmp_path: Path, double: str, kind: str, word: str, seat: int
) -> None:
    names = ["honest", "honest"]
    names[seat] = double
    ended, moves = one_match(tmp_path, *names)
    assert ended.fault is not None
    assert (ended.fault.kind, ended.at) == (kind, seat)
    assert word in ended.fault.detail
    assert moves[-1] == f"{seat} fault {kind}"
    assert ended.result.end == "fault"
    assert ended.result.points[seat] == 0.0
    assert ended.result.places == ((2, 1) if seat == 0 else (1, 2))


def test_a_bot_hears_everything_before_it_decides(tmp_path: Path) -> None:
    for seed in range(20):
        ended, _ = one_match(tmp_path, "listens", "listens", seed=seed)
        assert ended.fault is None


def test_a_seat_with_one_legal_action_is_not_asked(tmp_path: Path) -> None:
    ended, moves = one_match(tmp_path, "honest", "honest")
    assert len(moves) == 15
    assert ended.asked[0] == 6, "the last lead is forced"
    assert ended.asked[1] < 7


def test_an_equal_action_will_do(tmp_path: Path) -> None:
    path = tmp_path / "copier.py"
    path.write_text(
        "from harness.bot import Bot\nfrom games.forest_fox.rules import Play\n"
        "class Copier(Bot):\n    def act(self, view, legal):\n        return Play(legal[0].card)\n"
    )
    copier = find_one(str(path), FOX, Path())
    state = FOX.state(FOX.rules(), 2, Chance(FOX.pack, 5))
    ended, _ = play(FOX, state, [load(copier)] * 2, [1, 2])
    assert ended.fault is None


# --- Seeds, deals and seatings ------------------------------------------------------------------


def test_deals_do_not_depend_on_rules_and_all_seatings_share_one() -> None:
    key = run_key(7)
    assert deal_seed(key, "forest_fox", 2, 0) != deal_seed(key, "forest_fox", 2, 1)
    assert deal_seed(key, "forest_fox", 2, 0) != deal_seed(key, "forest_fox", 3, 0)
    assert deal_seed(key, "forest_fox", 2, 0) != deal_seed(run_key(8), "forest_fox", 2, 0)
    first = FOX.state(FOX.rules(), 2, Chance(FOX.pack, 3)).cards()
    other = FOX.state(FOX.rules(fox=False), 2, Chance(FOX.pack, 3)).cards()
    assert first == other


@pytest.mark.parametrize("players", [2, 3, 4, 8])
def test_seatings_are_all_rotations_of_an_order_drawn_for_each_deal(players: int) -> None:
    labels = [f"bot{i}" for i in range(players)]
    orders = set()
    for deal in range(200):
        turns = seatings(run_key(1), labels, deal)
        assert len(turns) == players
        first = turns[0]
        rotations = {first[-k:] + first[:-k] for k in range(players)}
        assert set(turns) == rotations
        for seat in range(players):
            assert sorted(turn[seat] for turn in turns) == list(range(players))
        start = first.index(0)
        orders.add(first[start:] + first[:start])
    assert len(orders) == {2: 1, 3: 2, 4: 6}.get(players, len(orders))
    if players == 8:
        assert len(orders) > 150


def test_shuffles_are_uniform() -> None:
    """Chi-squared over all 24 orders of four cards; the bound is its 99.99 % point."""
    counts: dict[tuple[int, ...], int] = {}
    number = 24_000
    for seed in range(number):
        order = tuple(permuted(range(4), uniform(seed, 0, 4)))
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 24
    chi2 = sum((n - number / 24) ** 2 / (number / 24) for n in counts.values())
    assert chi2 < 58.0


@pytest.mark.parametrize(("number", "choices", "bound"), [(1, 5, 23.6), (2, 10, 33.8)])
def test_cards_taken_are_uniform(number: int, choices: int, bound: float) -> None:
    """Chi-squared over all choices from five cards; the bound is its 99.99 % point."""
    counts: dict[tuple[int, ...], int] = {}
    total = 10_000
    for seed in range(total):
        taken = Chance(FOX.pack, seed).take("take", FOX.pack.cards[3:8], number)
        assert list(taken) == sorted(set(taken))
        counts[taken] = counts.get(taken, 0) + 1
    assert len(counts) == choices
    chi2 = sum((n - total / choices) ** 2 / (total / choices) for n in counts.values())
    assert chi2 < bound


# --- Chunks -------------------------------------------------------------------------------------


def test_a_chunk_has_a_row_a_match_and_seat_whatever_happens(tmp_path: Path) -> None:
    entrants = [entrant(tmp_path, "crash"), entrant(tmp_path, "honest")]
    table = make_table("forest_fox", FOX, FOX.rules(), 2, entrants, "inprocess")
    played = play_chunk(Chunk(table, 4, 7, run_key(1)))
    rows = played.rows.to_pylist()
    assert [(r["deal"], r["seating"], r["seat"]) for r in rows] == [
        (deal, seating, seat) for deal in range(4, 8) for seating in (0, 1) for seat in (0, 1)
    ]
    crash, honest = (entrant.label for entrant in entrants)
    for row in rows:
        assert row["end"] == "fault"
        assert (row["fault"] == "crash") == (row["bot"] == crash)
        assert row["points"] == (0.0 if row["bot"] == crash else 1.0)
    assert played.counts.faults == {(crash, "crash"): 8}
    assert played.counts.points == {crash: 0.0, honest: 8.0}
    told = json.loads(played.rows.schema.metadata[b"fairdeal"])
    assert len(told["faults"]) == 5
    assert "on purpose" in told["faults"][0]["detail"]


def test_a_chunk_can_be_cut_anywhere_and_has_the_same_rows(tmp_path: Path) -> None:
    entrants = [entrant(tmp_path, "humble"), entrant(tmp_path, "random_legal")]
    table = make_table("forest_fox", FOX, FOX.rules(), 2, entrants, "inprocess")
    whole = play_chunk(Chunk(table, 0, 9, run_key(1))).rows.drop_columns(list(TIMING))
    first = play_chunk(Chunk(table, 0, 3, run_key(1))).rows.drop_columns(list(TIMING))
    rest = play_chunk(Chunk(table, 4, 9, run_key(1))).rows.drop_columns(list(TIMING))
    assert whole.to_pylist() == first.to_pylist() + rest.to_pylist()


def test_chunks_are_aligned_powers_of_two_and_follow_from_weights_alone(tmp_path: Path) -> None:
    entrants = [entrant(tmp_path, "humble"), entrant(tmp_path, "random_legal")]
    table = make_table("forest_fox", FOX, FOX.rules(), 2, entrants, "inprocess")
    size = chunk_deals(FOX, table)
    assert size & (size - 1) == 0
    chunks = chunks_of(FOX, table, 3 * size + 5, run_key(1))
    spans = [(chunk.first, chunk.last - chunk.first + 1) for chunk in chunks]
    assert spans[:4] == [(0, 16), (16, 16), (32, 32), (64, 64)]
    assert spans[-3:] == [(size, size), (2 * size, size), (3 * size, 5)]
    for first, length in spans[:-1]:
        assert length & (length - 1) == 0
        assert first % length == 0
    fewer = chunks_of(FOX, table, 2 * size, run_key(1))
    assert fewer == chunks[: len(fewer)], "more deals keep every full chunk"


def test_a_table_key_is_everything_that_decides_its_rows(tmp_path: Path) -> None:
    a, b, c = (entrant(tmp_path, name) for name in ("humble", "random_legal", "one_ahead"))

    def key(*entrants: Entrant, **options: object) -> str:
        rules = FOX.rules.read(options)
        return make_table("forest_fox", FOX, rules, 2, entrants, "inprocess").key

    assert key(a, b) == key(b, a)
    assert key(a, b) != key(a, c)
    assert key(a, b) != key(a, b, fox=False)
    assert key(a, b) == key(a, b, fox=True)
    assert key(a, b) != make_table("forest_fox", FOX, FOX.rules(), 2, [a, b], "sandbox").key
