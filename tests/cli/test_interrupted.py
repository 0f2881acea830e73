"""Interrupted, killed, resumed: no process stays behind, and no row is counted twice."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from mmeval_like import cli
from tests.cli.files import await_ranks, command, environment, gone, run, write
from tests.helpers.optional import require_installed, requires
from tests.helpers.pace import in_time, patient

requires("pyarrow")
requires("zmq")

METRIC = ("--metric", "accuracy")


@pytest.fixture
def start():
    """A function that starts the command, and goes on; the test leaves no process and no pipe."""
    with ExitStack() as stack:

        def begin(*arguments, name="score", env=None):
            process = subprocess.Popen(
                command(name, *arguments),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment() if env is None else env,
                start_new_session=True,
                preexec_fn=_listen_to_ctrl_c,
            )
            stack.enter_context(process)  # closes the pipes, and waits
            stack.callback(process.kill)
            return process

        yield begin


def _listen_to_ctrl_c():
    """The tests may have been started with SIGINT ignored, as a shell does in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def slow(tmp_path):
    """A file that takes long to score: many rows of a metric that works row by row."""
    rows = [json.dumps({"predictions": "a b c d " * 40, "references": ["b c d e " * 40]})] * 150_000
    path = tmp_path / "slow.jsonl"
    path.write_text("\n".join(rows))
    return path


def test_ctrl_c_while_the_options_are_prepared(monkeypatch):
    """Exit code 130 without a traceback from the first line of the command on."""

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "make_parser", interrupted)

    assert cli.main(["list"]) == 130


def test_ctrl_c_ends_all_ranks(start, slow):
    """SIGINT to the command: exit code 130, and its ranks are gone."""
    process = start(slow, "--metric", "rouge", "-n", "3")
    ranks = await_ranks(process, 3)
    time.sleep(patient(0.5))

    process.send_signal(signal.SIGINT)

    _, errors = process.communicate(timeout=patient(30))
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert gone(ranks)


@pytest.mark.parametrize("ranks", ["1", "2"])
def test_ctrl_c_again_while_the_command_ends(start, slow, ranks):
    """SIGINT to the process group, twice: exit code 130 and no traceback, whenever they come."""
    for gap in (0.0, 0.005, 0.02, 0.05, 0.1, 0.2):
        process = start(slow, "--metric", "rouge", "-n", ranks)
        await_ranks(process, 2 if ranks == "2" else 0)
        time.sleep(patient(0.8 if ranks == "2" else 1.6))  # one process has yet to import

        os.killpg(process.pid, signal.SIGINT)
        time.sleep(gap)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)

        _, errors = process.communicate(timeout=patient(30))
        assert process.returncode == 130, errors
        assert "Traceback" not in errors


def test_a_gate_whose_rank_is_killed_is_no_failed_model(start, slow):
    """SIGKILL of a rank: exit code 4, where 1 would say that the new model is worse."""
    process = start(
        slow, "--", slow, "--metric", "rouge", "--key", "rouge1_fmeasure", "--margin", "1", "-n",
        "2", name="gate",
    )  # fmt: skip
    ranks = await_ranks(process, 2)

    os.kill(ranks[1], signal.SIGKILL)

    _, errors = process.communicate(timeout=patient(30))
    assert process.returncode == 4, errors
    assert "rank 1 was killed by SIGKILL" in errors
    assert gone(ranks)


def test_a_rank_that_is_killed_ends_the_command(start, slow):
    """SIGKILL of a rank: one line that names it, exit code 1, nobody stays behind."""
    process = start(slow, "--metric", "rouge", "-n", "3")
    ranks = await_ranks(process, 3)

    os.kill(ranks[1], signal.SIGKILL)

    _, errors = process.communicate(timeout=patient(30))
    assert process.returncode == 1
    assert "rank 1 was killed by SIGKILL" in errors
    assert "Traceback" not in errors
    assert gone(ranks)


@pytest.mark.parametrize(
    ("backend", "started"),
    [("zmq", 2), pytest.param("mpi4py", 1, marks=pytest.mark.mpi)],  # the launcher starts its ranks
)
def test_a_command_that_is_killed_leaves_no_ranks(start, tmp_path, backend, started):
    """SIGKILL of the command itself: its ranks notice and end, whoever started them."""
    require_installed(backend, *(["mpiexec"] if backend == "mpi4py" else []))
    row = json.dumps({"predictions": "a b c d " * 800, "references": ["b c d e " * 800]})
    path = tmp_path / "very_slow.jsonl"
    path.write_text("\n".join([row] * 2000))
    process = start(path, "--metric", "rouge", "-n", "2", "--backend", backend)
    ranks = await_ranks(process, started)
    time.sleep(patient(0.5))

    process.kill()

    process.wait(timeout=patient(30))
    assert gone(ranks)
    process.communicate(timeout=patient(30))


@pytest.mark.mpi
def test_a_rank_that_waits_in_mpi_ends_with_the_command(start, tmp_path):
    """MPI_Init holds Python's lock and waits for all ranks, one of which will not come."""
    require_installed("mpi4py", "mpiexec")
    (tmp_path / "sitecustomize.py").write_text(
        "import os, pathlib, time\n"
        "rank = os.environ.get('PMI_RANK', os.environ.get('OMPI_COMM_WORLD_RANK'))\n"
        f"here = pathlib.Path({str(tmp_path)!r})\n"
        "if rank == '0': (here / 'rank').write_text(str(os.getpid()))\n"
        "while rank == '1' and not (here / 'go').exists(): time.sleep(0.01)\n"
    )
    path = write(tmp_path, "npz")
    paths = f"{tmp_path}:{environment()['PYTHONPATH']}"
    asked = (path, *METRIC, "-n", "2", "--backend", "mpi4py")
    process = start(*asked, env=environment() | {"PYTHONPATH": paths})
    ranks = await_ranks(process, 1)

    def waits() -> bool:
        pid = (tmp_path / "rank").read_text() if (tmp_path / "rank").exists() else ""
        return pid != "" and "libmpi" in Path(f"/proc/{pid}/maps").read_text()

    assert in_time(waits, 20)
    time.sleep(patient(0.5))
    process.kill()
    process.wait(timeout=patient(30))
    (tmp_path / "go").touch()

    assert gone(ranks)


def test_bad_input_does_not_wait_for_the_hash_of_the_files(tmp_path):
    """Which is taken beside the other work: a command that failed ends at once."""
    path = tmp_path / "bad.csv"
    path.write_text("predictions,labels\n0,zebra\n")
    program = (
        "import sys, time; from mmeval_like.cli import main, records; "
        "records._hashed = lambda path: time.sleep(600); sys.exit(main(sys.argv[1:]))"
    )
    asked = ("score", path, *METRIC, "--record", tmp_path / "record.json")

    done = subprocess.run(
        [sys.executable, "-c", program, *asked], env=environment(), capture_output=True, timeout=60
    )

    assert done.returncode == 2
    assert b"zebra" in done.stderr


def test_killed_and_resumed(start, slow, tmp_path):
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
    in_time(lambda: process.poll() is not None or any(folder.glob("*.safetensors")), 20)
    if process.poll() is None:
        os.kill(ranks[0], signal.SIGKILL)
    process.communicate(timeout=patient(30))

    resumed = run("score", *asked, "--json", tmp_path / "resumed.json")
    whole = run("score", *parts, "--metric", "rouge", "--json", tmp_path / "whole.json")

    assert (resumed.returncode, whole.returncode) == (0, 0), resumed.stderr
    assert (tmp_path / "resumed.json").read_text() == (tmp_path / "whole.json").read_text()


def test_a_folder_has_one_job_at_a_time(start, tmp_path, slow):
    """The second one ends at once, and says why; the first goes on."""
    folder = tmp_path / "progress"
    first = start(slow, "--metric", "rouge", "--resume", folder, "-n", "2")
    assert in_time((folder / "lock").exists, 20)
    time.sleep(patient(0.5))

    second = run("score", slow, "--metric", "rouge", "--resume", folder, "-n", "2")

    assert first.poll() is None
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=patient(30))
    assert second.returncode == 2
    assert "another job is using it" in second.stderr
    assert second.stderr.count("\n") == 1


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
    output = process.communicate(timeout=patient(30))[0]
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


def test_ctrl_c_in_a_callback_is_not_lost():
    """Python drops it there, with a traceback: the command ends with 130 all the same."""
    program = """
import os, signal, sys, time, weakref
from mmeval_like import __main__, cli

def interrupt(_):
    os.kill(os.getpid(), signal.SIGINT)
    sum(map(abs, range(1000)))

class Thing:
    pass

def main():
    thing = Thing()
    reference = weakref.ref(thing, interrupt)
    del thing
    for _ in range(1000):
        time.sleep(0.01)
    return 0

cli.main = main
sys.exit(__main__.run())
"""
    words = [sys.executable, "-c", program]
    process = subprocess.run(
        words, env=environment(), preexec_fn=_listen_to_ctrl_c,
        capture_output=True, text=True, timeout=patient(30),
    )  # fmt: skip

    assert process.returncode == 130
    assert process.stderr == ""
