"""Bots that faulted too often last night aren't scheduled tonight, and everybody is told."""

from pathlib import Path

from tests import doubles
from tests.command import fairdeal, refused
from tests.test_run import config, manifest

SOMETIMES = """
class Sometimes(Bot):
    '''Fails in its seventh match of a hundred or so.'''
    def act(self, view, legal):
        if self.rng.random() < {share}:
            raise ValueError("one of those days")
        return legal[0]
"""


def labels(results: Path, number: int) -> set[str]:
    [contest] = manifest(results, f"small/{number:04d}")["contests"]
    return {entrant["label"].partition("@")[0] for entrant in contest["entrants"]}


def test_left_out_until_its_version_changes(tmp_path: Path) -> None:
    [crash, _] = doubles.write(tmp_path / "ann", "crash", "honest")
    path = config(tmp_path, ["humble", "random_legal", "ann/*.py"], 16)
    run = ("run", path, "--local", "--results", tmp_path / "results")
    fairdeal(*run)
    assert "ann/crash" in labels(tmp_path / "results", 1)
    for number in (2, 3):  # also the night after one in which it didn't play
        done = fairdeal(*run)
        why = "its faults ended 96 of its 96 matches in small/0001, more than 2 %"
        assert f"contest 1: left out: ann/crash@{version(done.stderr)}: {why}" in done.stderr
        assert why in done.stdout
        assert labels(tmp_path / "results", number) == {"humble", "random_legal", "ann/honest"}
        about = manifest(tmp_path / "results", f"small/{number:04d}")
        assert why in about["contests"][0]["left_out"][0]
        assert [one["label"].partition("@")[0] for one in about["barred"]] == ["ann/crash"]
    fairdeal("report", "small", "--out", tmp_path / "out", "--results", tmp_path / "results")
    assert why in (tmp_path / "out/contest-1.html").read_text()
    # Turned off, it is back; turned on, it is out again.
    text = path.read_text()
    path.write_text(text.replace("seed", "max_fault_share = 1\nseed"))
    fairdeal(*run)
    assert "ann/crash" in labels(tmp_path / "results", 4)
    path.write_text(text)
    fairdeal(*run)
    assert "ann/crash" not in labels(tmp_path / "results", 5)
    crash.write_text(crash.read_text() + "# mended, perhaps\n")
    done = fairdeal(*run)
    assert "left out" not in done.stderr
    assert "ann/crash" in labels(tmp_path / "results", 6)


def version(text: str) -> str:
    return text.partition("ann/crash@")[2].partition(":")[0]


def test_the_share_counts_not_the_number(tmp_path: Path) -> None:
    doubles.write(tmp_path / "ann", "honest")
    (tmp_path / "ann/sometimes.py").write_text(doubles.HEAD + SOMETIMES.format(share=0.001))
    path = config(tmp_path, ["humble", "ann/*.py"], 100)
    run = ("run", path, "--local", "--results", tmp_path / "results")
    fairdeal(*run)
    [summary] = manifest(tmp_path / "results")["summary"]
    [line] = [one for one in summary["ratings"] if one["bot"].startswith("ann/sometimes")]
    assert 0 < line["faults"] <= 0.02 * line["matches"]
    fairdeal(*run)
    assert "ann/sometimes" in labels(tmp_path / "results", 2)
    path.write_text(path.read_text().replace("seed", "max_fault_share = 0\nseed"))
    fairdeal(*run)
    assert "ann/sometimes" not in labels(tmp_path / "results", 3)


def test_where_too_few_are_left_it_is_one_line(tmp_path: Path) -> None:
    doubles.write(tmp_path / "ann", "crash")
    path = config(tmp_path, ["humble", "ann/*.py"], 5)
    fairdeal("run", path, "--local", "--results", tmp_path / "results")
    said = refused("run", path, "--local", "--results", tmp_path / "results")
    assert "contest 1: bots: at least 2 must play, and there are 1 (left out: ann/crash@" in said
    path.write_text(path.read_text().replace("seed", "max_fault_share = 2\nseed"))
    said = refused("run", path, "--local", "--results", tmp_path / "results")
    assert "max_fault_share must be at most 1" in said
