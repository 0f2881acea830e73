"""Interrupted, killed, resumed: no process stays behind, and no row is counted twice."""

import json
import os
import pty
import signal
import subprocess
import time

import pytest

from tests.cli.files import await_ranks, command, environment, gone, predictions, run, write
from tests.helpers.optional import requires

requires("pyarrow")
requires("zmq")

METRIC = ("--metric", "accuracy")


def start(*arguments):
    """Start the command, and go on."""
    return subprocess.Popen(
        command("score", *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )


@pytest.fixture
def slow(tmp_path):
    """A file that takes long to score: many rows of a metric that works row by row."""
    rows = [json.dumps({"predictions": "a b c d " * 40, "references": ["b c d e " * 40]})] * 30_000
    path = tmp_path / "slow.jsonl"
    path.write_text("\n".join(rows))
    return path


def test_ctrl_c_ends_all_ranks(slow):
    """SIGINT to the command: exit code 130, and its ranks are gone."""
    process = start(slow, "--metric", "rouge", "-n", "3")
    ranks = await_ranks(process, 3)
    time.sleep(0.5)

    process.send_signal(signal.SIGINT)

    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert gone(ranks)


def test_a_rank_that_is_killed_ends_the_command(slow):
    """SIGKILL of a rank: one line that names it, exit code 1, nobody stays behind."""
    process = start(slow, "--metric", "rouge", "-n", "3")
    ranks = await_ranks(process, 3)

    os.kill(ranks[1], signal.SIGKILL)

    _, errors = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "rank 1 was killed by SIGKILL" in errors
    assert "Traceback" not in errors
    assert gone(ranks)


def test_a_command_that_is_killed_leaves_no_ranks(slow):
    """SIGKILL of the command itself: its ranks notice and end."""
    process = start(slow, "--metric", "rouge", "-n", "2")
    ranks = await_ranks(process, 2)
    time.sleep(0.5)

    process.kill()

    process.communicate(timeout=30)
    assert gone(ranks)


def test_resume_counts_every_row_once(tmp_path):
    """A run that was killed goes on with another number of ranks: an uninterrupted run's bits."""
    table = predictions()
    for index in range(6):  # six pieces of work
        part = {k: v[index::6] for k, v in table.items()}
        write(tmp_path, "npz", part, f"part-{index}")
    files, folder = f"{tmp_path}/part-*.npz", tmp_path / "progress"
    asked = ("score", files, *METRIC, "--by", "domain", "--resume", folder)
    whole = run("score", files, *METRIC, "--by", "domain", "--json", tmp_path / "whole.json")
    assert whole.returncode == 0, whole.stderr
    good = (tmp_path / "part-4.npz").read_bytes()
    bad = bytearray(good)
    bad[-200:-100] = bytes(100)  # the same size, damaged: the run fails before its end
    (tmp_path / "part-4.npz").write_bytes(bad)
    failed = run(*asked, "-n", 2)
    assert failed.returncode == 2, failed
    (tmp_path / "part-4.npz").write_bytes(good)

    again = run(*asked, "-n", 3, "--json", tmp_path / "resumed.json")
    once_more = run(*asked, "--json", tmp_path / "once-more.json")

    assert (again.returncode, once_more.returncode) == (0, 0), again.stderr
    texts = [(tmp_path / f"{n}.json").read_text() for n in ("whole", "resumed", "once-more")]
    assert texts[0] == texts[1] == texts[2]


def test_killed_and_resumed(slow, tmp_path):
    """SIGKILL of a rank after some saves, then one process: an uninterrupted run's bits."""
    lines = slow.read_text().splitlines()[:1500]
    parts = []
    for index in range(10):
        parts.append(tmp_path / f"part-{index}.jsonl")
        parts[-1].write_text("\n".join(lines[index::10]))
    folder = tmp_path / "progress"
    asked = (*parts, "--metric", "rouge", "--resume", folder)
    process = start(*map(str, asked), "-n", "2")
    ranks = await_ranks(process, 2)
    until = time.monotonic() + 20
    while not list(folder.glob("*.safetensors")) and time.monotonic() < until:
        time.sleep(0.02)
        if process.poll() is not None:
            break
    if process.poll() is None:
        os.kill(ranks[0], signal.SIGKILL)
    process.communicate(timeout=30)

    resumed = run("score", *asked, "--json", tmp_path / "resumed.json")
    whole = run("score", *parts, "--metric", "rouge", "--json", tmp_path / "whole.json")

    assert (resumed.returncode, whole.returncode) == (0, 0), resumed.stderr
    assert (tmp_path / "resumed.json").read_text() == (tmp_path / "whole.json").read_text()


def test_progress_of_other_input_is_refused(tmp_path):
    """A folder that belongs to other files or metrics is named, on one rank and on several."""
    path, folder = write(tmp_path, "npz"), tmp_path / "progress"
    assert run("score", path, *METRIC, "--resume", folder).returncode == 0

    for ranks in (1, 2):
        done = run("score", path, "--metric", "accuracy:topk=2", "--resume", folder, "-n", ranks)

        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "belongs to other" in done.stderr


def test_damaged_progress_is_refused(tmp_path):
    """A truncated file is named."""
    path, folder = write(tmp_path, "npz"), tmp_path / "progress"
    assert run("score", path, *METRIC, "--resume", folder).returncode == 0
    (saved,) = folder.iterdir()
    saved.write_bytes(saved.read_bytes()[:-20])

    done = run("score", path, *METRIC, "--resume", folder)

    assert done.returncode == 2
    assert saved.name in done.stderr


def test_a_bar_on_a_terminal_only(tmp_path):
    """Progress goes to a terminal; into a pipe goes nothing but the table."""
    path = write(tmp_path, "npz")
    main_end, terminal = pty.openpty()
    process = subprocess.Popen(
        command("score", path, *METRIC),
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        env=environment(),
    )
    output = process.communicate(timeout=30)[0]
    os.close(terminal)
    shown = b""
    try:
        while block := os.read(main_end, 65536):
            shown += block
    except OSError:  # the terminal is gone
        pass
    finally:
        os.close(main_end)

    assert b"scoring" in shown
    assert "scoring" not in output
    assert run("score", path, *METRIC).stderr == ""
