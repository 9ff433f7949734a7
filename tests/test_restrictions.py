"""What a variant takes from the seats: who may not do what, who is told, and what it leaves be."""

import json
from pathlib import Path

import pytest

from games.restrictions import state_type
from harness.entrants import Entrant, find_one
from harness.games import find_game
from harness.play.chunk import TIMING, play_chunk, series_of
from harness.play.restrictions import Forbid, Restrictions, read_forbid
from harness.play.seeds import run_key
from harness.play.series import MatchPlayed, played
from harness.play.tables import Chunk, Table, make_table
from tests.command import fairdeal, refused
from tests.doubles import HEAD

CASINO = find_game("casino_go_fish")
KEY = run_key(5)

SPY = '''
class Spy(Bot):
    """Can't be made unless it is told just this: what is forbidden in each seat."""

    def __init__(self, setup, *, told=("", "", ""), own="", withheld=""):
        super().__init__(setup)
        expected = [*told]
        if own:
            expected[setup.seat] = own
        known = setup.rules.restriction.forbidden or ((), (), ())
        assert [" ".join(names) for names in known] == expected, known
        assert " ".join(setup.forbidden) == expected[setup.seat]
        assert setup.withheld == withheld
        self.heard = 0

    def observe(self, event):
        self.heard += 1

    def act(self, view, legal):
        assert self.setup.withheld == "" or not self.heard
        for name in self.setup.forbidden:
            assert all(not str(action).startswith(name) for action in legal) or len(legal) == 1
        return legal[-1]
'''


def entrants(*names: str) -> list[Entrant]:
    return [find_one(name, CASINO, Path()) for name in names]


def table(*names: str, isolation: str = "inprocess", **taken: object) -> Table:
    restrictions = Restrictions(**taken)  # type: ignore[arg-type]
    return make_table(
        "casino_go_fish",
        CASINO,
        CASINO.rules(),
        3,
        entrants(*names),
        isolation,
        restrictions=restrictions,
    )


def matches(of: Table, deals: int = 10) -> list[MatchPlayed]:
    series = series_of(Chunk(of, 0, deals - 1, KEY), CASINO)
    return sorted(played(series, []), key=lambda one: (one.deal, one.seating))


def count(one: MatchPlayed, seat: int, tactic: str) -> int:
    return one.state.counts[seat][[t.name for t in CASINO.tactics].index(tactic)]


def test_a_word_is_forbidden_to_everybody() -> None:
    free = matches(table("collector", "random_legal"))
    assert sum(count(one, seat, "show") for one in free for seat in range(3)) > 0
    taken = matches(table("collector", "random_legal", forbid=(Forbid("show"),)))
    assert sum(count(one, seat, "show") for one in taken for seat in range(3)) == 0


def test_a_tactic_is_forbidden_in_a_seat_alone() -> None:
    taken = matches(table("random_legal", "collector", forbid=(Forbid("draw_pool", seat=0),)), 30)
    # Nobody must draw from the pool: something else is always legal.
    assert sum(count(one, 0, "draw_pool") for one in taken) == 0
    assert sum(count(one, 1, "draw_pool") for one in taken) > 0


def test_something_is_forbidden_to_a_bot_wherever_it_sits() -> None:
    of = table("random_legal", "collector", forbid=(Forbid("pool", bot="random_legal"),))
    by_bot = {"random_legal": 0, "collector": 0}
    for one in matches(of, 30):
        for seat, i in enumerate(one.order):
            by_bot[of.entrants[i].name] += count(one, seat, "draw_pool")
    assert by_bot["random_legal"] == 0
    assert by_bot["collector"] > 0


def test_what_is_the_only_thing_to_do_is_never_forbidden() -> None:
    everything = tuple(Forbid(word) for word in CASINO.words)
    free = matches(table("random_legal", "collector"))
    taken = matches(table("random_legal", "collector", forbid=everything))
    assert [one.ended.result for one in taken] == [one.ended.result for one in free]


def test_an_unrestricted_match_has_the_games_own_state() -> None:
    assert state_type(CASINO, CASINO.rules()) is CASINO.state
    assert all(
        type(one.state) is CASINO.state for one in matches(table("collector", "collector"), 1)
    )


@pytest.mark.parametrize("isolation", ["inprocess", "process"])
def test_a_bot_is_told_what_it_may_not_do_and_not_what_other_bots_may_not(
    tmp_path: Path, isolation: str
) -> None:
    spy = tmp_path / "spy.py"
    spy.write_text(HEAD + SPY)
    told = f'{spy}(told=("", "show", ""), withheld="events")'
    of = table(told, told, isolation=isolation, forbid=(Forbid("show", 1),), withhold="events")
    assert [one.ended.fault for one in matches(of, 3)] == [None] * 6
    others = Forbid("show", bot="collector")
    of = table(f"{spy}()", "collector", isolation=isolation, forbid=(others,))
    assert [one.ended.fault for one in matches(of, 3)] == [None] * 6
    own = f'{spy}(own="pool")'
    name = entrants(own)[0].bot.name
    of = table(own, "collector", isolation=isolation, forbid=(others, Forbid("pool", bot=name)))
    assert [one.ended.fault for one in matches(of, 3)] == [None] * 6
    of = table(f"{spy}()", "collector", isolation=isolation, forbid=(Forbid("pool", bot=name),))
    assert all("AssertionError" in str(one.ended.fault) for one in matches(of, 3))


@pytest.mark.parametrize("isolation", ["process", "sandbox"])
def test_rows_are_the_same_at_every_level(isolation: str) -> None:
    taken = (Forbid("show", bot="collector"), Forbid("draw_pool", seat=0))
    rows = [
        play_chunk(
            Chunk(table("collector", "random_legal", isolation=level, forbid=taken), 0, 5, KEY)
        ).rows.drop_columns([*TIMING])
        for level in ("inprocess", isolation)
    ]
    assert rows[0].equals(rows[1])


def test_restrictions_are_part_of_the_tables_key_where_they_concern_it() -> None:
    free = table("collector", "random_legal")
    assert table("collector", "random_legal", forbid=(Forbid("show"),)).key != free.key
    assert table("collector", "random_legal", withhold="events").key != free.key
    other = table("random_legal", "random_legal", forbid=(Forbid("show", bot="collector"),))
    assert other.key == table("random_legal", "random_legal").key
    about = json.loads(
        play_chunk(
            Chunk(table("collector", "collector", forbid=(Forbid("show", 1),)), 0, 0, KEY)
        ).rows.schema.metadata[b"fairdeal"]
    )
    assert about["forbid"] == [{"what": "show", "seat": 1, "bot": None}]
    assert about["withhold"] == ""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("shows", "casino_go_fish has no 'shows' to forbid; there are: show, draw, pool"),
        ("sets", "casino_go_fish has no 'sets' to forbid"),
        ({"what": "show", "seat": 3}, "seat must be 0 to 2, not 3"),
        ({"what": "show", "bot": "nobody"}, "there is no bot 'nobody' here; there are: collector"),
        ({"seat": 1}, "give a name, or a table of what, seat and bot, not {'seat': 1}"),
        (7, "give a name, or a table of what, seat and bot, not 7"),
    ],
)
def test_what_cannot_be_forbidden_is_refused(given: object, said: str) -> None:
    with pytest.raises(ValueError, match="forbid: ") as error:
        read_forbid([given], CASINO, 3, entrants("collector"))
    assert said in str(error.value)


def test_match_takes_restrictions_and_its_records_replay(tmp_path: Path) -> None:
    file = tmp_path / "matches.jsonl"
    fairdeal(
        *("match", "casino_go_fish", "collector", "random_legal", "--players", "3", "--deals", "3"),
        *("--forbid", "show:0", "--forbid", "take_shown", "--withhold", "events"),
        *("--records", file),
    )
    assert fairdeal("replay", file).stdout == "6 records are right.\n"
    fields = json.loads(file.read_text().splitlines()[0])
    assert fields["forbid"] == [["show", "take_shown"], ["take_shown"], ["take_shown"]]
    assert fields["withhold"] == "events"
    # Without them its moves still stand; with more, one of them isn't legal any more.
    fields["forbid"] = [["draw"], ["draw"], ["draw"]]
    file.write_text(json.dumps(fields))
    assert "is not legal here" in fairdeal("replay", file, code=1).stderr
    said = refused("match", "forest_fox", "humble", "perfect", "--forbid", "triumph")
    assert said.startswith("--forbid: forest_fox has no 'triumph' to forbid; there are: 1B, 2B")
    said = refused("match", "forest_fox", "humble", "perfect", "--withhold", "views")
    assert said == "--withhold must be events, not 'views'"


def test_the_bots_that_come_along_keep_to_what_is_legal() -> None:
    """Also those that plan on imagined states."""
    fox = find_game("forest_fox")
    forbid = (Forbid("5B", 0), Forbid("fox"), Forbid("1K"))
    for name in ("perfect", "one_ahead", "rehearser", "trump_counter", "humble", "grabber"):
        pair = [find_one(each, fox, Path()) for each in (name, "random_legal")]
        of = make_table(
            *("forest_fox", fox, fox.rules(), 2, pair, "inprocess"),
            restrictions=Restrictions(forbid),
        )
        for one in played(series_of(Chunk(of, 0, 9, KEY), fox), []):
            assert one.ended.fault is None, (name, one.ended.fault)


@pytest.mark.parametrize("what", ["pass", "attack", "challenge"])
def test_the_bots_of_tragedy_do_something_else(what: str) -> None:
    """They work out what they want without looking at what is legal."""
    tragedy = find_game("tragedy")
    for name in ("hothead", "jackal", "nemesis", "sleuth", "tortoise"):
        four = [find_one(each, tragedy, Path()) for each in (name, *["random_legal"] * 3)]
        of = make_table(
            *("tragedy", tragedy, tragedy.rules(), 4, four, "inprocess"),
            restrictions=Restrictions((Forbid(what),)),
        )
        for one in played(series_of(Chunk(of, 0, 3, KEY), tragedy), []):
            assert one.ended.fault is None, (name, one.ended.fault)
