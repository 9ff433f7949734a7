"""Results in an S3-compatible store: moto's server, on loopback, and pyarrow's own client."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.fs
import pyarrow.parquet as pq
import pytest

from harness import locks
from harness.errors import UserError
from harness.files import (
    Remote,
    files_below,
    folders_in,
    move,
    names_in,
    place,
    remove_tree,
    size_of,
    write_whole,
)
from harness.locks import hold
from harness.play.chunk import TIMING
from tests.command import fairdeal, refused
from tests.processes import rows, start, wait_until
from tests.test_run import BOTS, config

KEYS = {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing"}


class Server(SimpleNamespace):
    """A server, its process and port."""

    process: subprocess.Popen[bytes]
    port: int

    def uri(self, path: str) -> str:
        return f"s3://{path}?scheme=http&endpoint_override=127.0.0.1:{self.port}&region=us-east-1"

    @property
    def system(self) -> Any:
        return pyarrow.fs.FileSystem.from_uri(self.uri("bucket"))[0]

    def rows(self, root: str) -> dict[str, Any]:
        found = {}
        for info in self.system.get_file_info(
            pyarrow.fs.FileSelector(f"{root}/chunks", recursive=True)
        ):
            if info.path.endswith(".parquet"):
                with self.system.open_input_file(info.path) as file:
                    table = pq.read_table(file).drop_columns(list(TIMING))
                found[info.path.removeprefix(f"{root}/chunks/")] = table.replace_schema_metadata()
        return found


SERVE = """
import sys, time
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KEYS.items():
            patch.setenv(name, value)
        with subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdout is not None
            found = Server(process=process, port=int(process.stdout.readline()))
            pyarrow.fs.FileSystem.from_uri(found.uri("bucket") + "&allow_bucket_creation=true")[
                0
            ].create_dir("bucket")
            yield found
            process.kill()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A config, and its results in a folder."""
    folder = tmp_path_factory.mktemp("played")
    path = config(folder, BOTS, 100)
    fairdeal("run", path, "--local", "--results", folder / "results")
    return path, folder / "results"


def test_a_run_and_all_who_read_it(
    server: Server, played: tuple[Path, Path], tmp_path: Path
) -> None:
    path, results = played
    there = ("--results", server.uri("bucket/night"))
    assert "there are no results in s3://bucket/night" in refused("runs", *there)
    done = fairdeal("run", path, "--workers", "1", *there)
    assert "Run small/0001 begins" in done.stdout
    assert server.rows("bucket/night") == rows(results)
    again = fairdeal("run", path, "--local", *there)
    assert "0 matches to play, 600 are there already" in again.stdout
    assert "small/0002" in fairdeal("runs", *there).stdout
    here = fairdeal("ratings", "small", "--output", "csv", "--results", results).stdout
    assert fairdeal("ratings", "small", "--output", "csv", *there).stdout == here
    fairdeal("report", "small/0001", "--out", tmp_path / "report", *there)
    assert (tmp_path / "report" / "index.html").exists()
    left = [
        info.path for info in server.system.get_file_info(pyarrow.fs.FileSelector("bucket/night"))
    ]
    assert sorted(left) == [f"bucket/night/{name}" for name in ("bots", "chunks", "runs")]


def test_a_damaged_chunk_is_set_aside_and_played_again(
    server: Server, played: tuple[Path, Path]
) -> None:
    path, results = played
    there = ("--results", server.uri("bucket/damage"))
    fairdeal("run", path, "--local", *there)
    victim = sorted(server.rows("bucket/damage"))[0]
    with server.system.open_output_stream(f"bucket/damage/chunks/{victim}") as stream:
        stream.write(b"PAR1 and no more")
    assert "damaged" in refused("ratings", "small", *there)
    assert "set aside" in fairdeal("run", path, "--local", *there).stderr
    assert server.rows("bucket/damage") == rows(results)


def test_gc_merges_and_removes_there_as_it_does_here(
    server: Server, played: tuple[Path, Path], tmp_path: Path
) -> None:
    there = ("--results", server.uri("bucket/many"))
    path = config(tmp_path, BOTS, 100)
    fairdeal("run", path, "--local", *there)
    told = fairdeal("ratings", "small/0001", "--output", "csv", *there).stdout
    config(tmp_path, BOTS[:2], 100)
    fairdeal("run", path, "--local", *there)
    dry = json.loads(fairdeal("gc", "--keep", "1", "--dry-run", "--output", "json", *there).stdout)
    done = json.loads(fairdeal("gc", "--keep", "1", "--output", "json", *there).stdout)
    assert [line["files"] for line in dry] == [line["files"] for line in done] == [8, 0, 1, 3]
    assert len(server.rows("bucket/many")) == 1
    assert folders_in(place(server.uri("bucket/many")) / "chunks") == [
        next(iter(server.rows("bucket/many"))).partition("/")[0]
    ]
    left = fairdeal("ratings", "small/0001", "--output", "csv", *there)
    assert (left.stdout, "this is from its summary" in left.stderr) == (told, True)
    again = fairdeal("run", path, "--local", *there)
    assert "0 matches to play, 200 are there already" in again.stdout
    fairdeal("verify", "small", "--share", "1", *there)
    assert "0 files fewer" in fairdeal("gc", "--keep", "1", *there).stdout


@pytest.mark.battery  # the client tries for a minute or two before it says that nobody answers
def test_a_store_that_is_away_for_a_while_is_waited_for(
    server: Server, tmp_path: Path, played: tuple[Path, Path]
) -> None:
    path = config(tmp_path, BOTS, 600)
    fairdeal("run", path, "--local", "--results", tmp_path / "results")
    running = start("run", path, "--local", "--results", server.uri("bucket/away"))
    folder = server.system
    selector = pyarrow.fs.FileSelector("bucket/away/chunks", recursive=True, allow_not_found=True)
    wait_until(lambda: len(folder.get_file_info(selector)) > 3 or running.poll() is not None)
    server.process.send_signal(signal.SIGSTOP)
    try:
        assert running.stderr is not None
        line = "after"
        while "after" in line:  # a minute's: how far it is
            line = running.stderr.readline()
    finally:
        server.process.send_signal(signal.SIGCONT)
    out, said = running.communicate(timeout=120)
    assert "waiting, for 300 s at most" in line, line + said
    assert "it works again, after" in said
    assert running.returncode == 0, said
    assert "Faults of the machine" in out
    assert server.rows("bucket/away") == rows(tmp_path / "results")


def test_addresses_that_are_none_are_one_line_without_keys(played: tuple[Path, Path]) -> None:
    path, _ = played
    said = refused("run", path, "--local", "--results", "s3://key:secret@b/x?nope=1")
    assert said.startswith("--results: s3://b/x can't be opened: ")
    assert "secret" not in said
    assert "can't be opened" in refused("runs", "--results", "gopher://b/x")
    nobody = "s3://b/x?scheme=http&endpoint_override=127.0.0.1:1&region=x"
    assert "results can't be read from s3://b/x" in refused("ratings", "n", "--results", nobody)
    assert "bucket 'b'" in refused("run", path, "--dry-run", "--results", nobody)


def test_a_lease_keeps_the_second_out_and_ends_with_its_holder(server: Server) -> None:
    root = place(server.uri("bucket/lease"))
    with (
        hold(root) as held,
        pytest.raises(UserError, match=r"another run is writing to s3://bucket/lease"),
        hold(root),
    ):
        pytest.fail("two hold it")
    held.check()
    assert not (root / ".lock").exists()


def test_a_lease_of_a_dead_run_is_free_at_once_here_and_by_age_elsewhere(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = place(server.uri("bucket/dead"))
    about = {"token": "x", "host": "another machine", "process": os.getpid(), "began": "1"}
    write_whole(root / ".lock", json.dumps(about).encode())
    with pytest.raises(UserError, match="last sign of life"), hold(root):
        pytest.fail("it is another's")
    monkeypatch.setattr(locks, "LEASE_SECONDS", 0.0)
    with hold(root):
        pass
    monkeypatch.undo()
    about["host"] = locks.socket.gethostname()  # where no such process runs
    write_whole(root / ".lock", json.dumps(about).encode())
    with hold(root):
        pass


def test_who_lost_the_lease_is_told(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "RENEW_SECONDS", 0.05)
    root = place(server.uri("bucket/lost"))
    with hold(root) as held:

        def taken() -> bool:
            # Again and again: between the holder's look and its writing it would be overwritten,
            # which the other finds out when it looks after a second.
            write_whole(root / ".lock", b'{"token": "another"}')
            return held.lost.is_set()

        wait_until(taken, 30)
        with pytest.raises(UserError, match="another run took over"):
            held.check()
    assert (root / ".lock").exists(), "what is another's stays"


@pytest.mark.parametrize("kind", ["here", "mounted", "s3"])
def test_places_are_alike(kind: str, server: Server, tmp_path: Path) -> None:
    root: Any = {
        "here": tmp_path,
        "mounted": Remote(pyarrow.fs.LocalFileSystem(), str(tmp_path), f"x:/{tmp_path}"),
        "s3": place(server.uri("bucket/places")),
    }[kind]
    file = root / "a" / "b" / "c.txt"
    assert not file.exists()
    assert folders_in(root / "a") == []
    write_whole(file, b"one")
    write_whole(file, b"three")
    assert (file.read_text(), size_of(file), file.name) == ("three", 5, "c.txt")
    assert (file.parent.name, str(file.parent / "c.txt")) == ("b", str(file))
    assert folders_in(root / "a") == ["b"]
    assert names_in(root / "a" / "b") == ["c.txt"]
    assert names_in(root / "a") == names_in(root / "none") == []
    [found] = files_below(root / "a")
    assert (found.path, found.size) == ("b/c.txt", 5)
    assert abs(found.modified - time.time()) < 3600
    assert list(files_below(root / "none")) == []
    assert (root / "a").is_dir()
    assert not file.is_dir()
    assert [each.name for each in root.glob("a/*/*.txt")] == ["c.txt"]
    assert [each.name for each in (root / "a" / "b").iterdir()] == ["c.txt"], "nothing aside"
    move(file, file.parent / "d.txt")
    assert not file.exists()
    with pytest.raises(FileNotFoundError):
        file.read_bytes()
    (file.parent / "d.txt").unlink()
    file.unlink(missing_ok=True)
    write_whole(file, b"again")
    remove_tree(root / "a")
    assert not file.exists()
