"""`fairdeal duel`, run as a user runs it."""

import json
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from harness.cli.app import run
from tests.command import BASE, fairdeal, refused


def test_the_better_bot_is_accepted_the_worse_one_rejected() -> None:
    options = ["--elo1", "60", "--seed", "5"]
    said = fairdeal("duel", "forest_fox", "humble", "random_legal", *options).stdout
    assert "H1 accepted: humble is better than random_legal by more than Elo 0." in said
    assert "pentanomial, logistic, Elo 0 against 60" in said
    said = fairdeal("duel", "forest_fox", "random_legal", "humble", *options, code=1).stdout
    assert "H1 rejected: random_legal is not better than humble by Elo 60." in said


def test_undecided_at_the_budget_and_the_same_again() -> None:
    command = ["duel", "forest_fox", "humble", "humble", "--max-deals", "20", "--output", "json"]
    first, second = (json.loads(fairdeal(*command, code=3).stdout) for _ in range(2))
    assert first == second
    assert first["verdict"] == "continue"
    # A bot against itself scores every deal evenly, whatever its luck.
    assert first["counts"] == [0, 0, 20, 0, 0]


def test_more_seats_are_tested_on_block_means() -> None:
    command = ["duel", "fraser_island", "burrower", "random_legal", "--players", "3"]
    done = fairdeal(*command, "--max-deals", "48", "--elo1", "100", "--output", "json")
    found = json.loads(done.stdout)
    assert found["test"] == "multinomial over block means, logistic"
    assert found["verdict"] == "H1"
    assert found["deals"] <= 48


@pytest.mark.parametrize(
    ("game", "bots"),
    [
        ("forest_fox", ("one_ahead", "humble")),
        ("fraser_island", ("burrower", "honest_miner")),
    ],
)
def test_hosted_duels_are_the_same(game: str, bots: tuple[str, str]) -> None:
    command = ["duel", game, *bots, "--elo1", "300", "--max-deals", "12", "--output", "json"]
    here = run_of(command)
    assert run_of([*command, "--isolation", "process"]) == here


def run_of(command: list[str]) -> tuple[int, str]:
    done = subprocess.run([*BASE, *command], capture_output=True, text=True, timeout=180)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_faults_in_hosts_are_told(tmp_path: Path) -> None:
    bot = tmp_path / "leaver.py"
    bot.write_text(
        "import os\nfrom harness.bot import Bot\n\n\nclass Leaver(Bot):\n"
        '    """Ends its process."""\n\n    games = ("forest_fox",)\n\n'
        "    def act(self, view, legal):\n        os._exit(3)\n"
    )
    command = ["duel", "forest_fox", "humble", bot, "--isolation", "process"]
    done = fairdeal(*command, "--max-deals", "2", code=3)
    assert "100.0 ± 0.0 % of the points in 2 deals" in done.stdout
    assert "leaver: fault died in deal 0, seat" in done.stderr


@pytest.mark.parametrize(
    ("counts", "options", "ratio", "verdict", "code"),
    [
        ("365,16618,36229,16974,390", ["normalised", "0", "2"], 2.250368, "continue", 3),
        ("0,0,0,0,5550", ["normalised", "0", "5"], 111.797555, "H1", 0),
        ("871,26175,55983,26678,821", ["logistic", "0", "2"], -4.978673, "H0", 1),
    ],
)
def test_given_counts(
    counts: str,
    options: list[str],
    ratio: float,
    verdict: str,
    code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model, elo0, elo1 = options
    command = ["duel", "--counts", counts, "--model", model, "--elo0", elo0, "--elo1", elo1]
    assert run([*command, "--output", "json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert found["llr"] == pytest.approx(ratio, abs=1e-3)
    assert (found["lower"], found["upper"]) == pytest.approx((-2.944439, 2.944439), abs=1e-6)
    assert found["verdict"] == verdict
    assert run([*command, "--output", "csv"]) == code
    assert capsys.readouterr().out.startswith("llr,lower,upper,verdict")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a duel needs GAME A B, or --counts"),
        (["forest_fox", "humble"], "a duel needs GAME A B"),
        (["forest_fox", "humble", "humble", "--counts", "1,2,3,4,5"], "doesn't go with GAME"),
        (["--counts", "1,2,3,4,5", "--max-deals", "3"], "doesn't go with --max-deals"),
        (["--counts", "1,2,3,4,5", "--isolation", "process"], "doesn't go with --isolation"),
        (["forest_fox", "humble", "humble", "--package", "numpy"], "--package is for hosted bots"),
        (["--counts", "1,2,3,4"], "must be five whole numbers"),
        (["--counts", "1,2,3,4,-5"], "must be five whole numbers"),
        (["--counts", "0,0,0,0,0"], "at least one pair"),
        (["--counts", "1,2,3,4,5", "--elo0", "30"], "--elo0 must be below --elo1, not 30 and 20"),
        (["--counts", "1,2,3,4,5", "--alpha", "0.7"], "--alpha must be above 0 and below 0.5"),
        (["chess", "humble", "humble"], "there is no game 'chess'"),
        (["forest_fox", "humble", "humble", "--players", "3"], "players must be 2, not 3"),
        (["forest_fox", "humble", "humble", "--rules", "x"], "must be KEY=VALUE"),
    ],
)
def test_mistakes_are_one_clear_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["duel", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_an_unknown_model_is_refused() -> None:
    assert "--model" in refused("duel", "--counts", "1,2,3,4,5", "--model", "bayesian")


def test_ctrl_c_in_a_duel_is_said() -> None:
    command = [*BASE, "duel", "forest_fox", "search", "search(iterations=51)", "--elo1", "1"]
    with subprocess.Popen(
        [*command, "--max-deals", "10000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while psutil.Process(process.pid).cpu_times().user < 2:  # half of it to start
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "fairdeal: stopped\n")
