"""`list`, `doctor`, `--help` and shell completion."""

import subprocess

import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from tests.cli.files import command, environment, run
from tests.helpers.launch import run_ranks
from tests.helpers.optional import requires


def test_list_has_every_metric_and_backend(capsys):
    """A line each; a backend whose library is missing says how to install it."""
    assert main(["list"]) == 0

    lines = capsys.readouterr().out.splitlines()
    for name in ("accuracy", "coco_detection", "mean_iou"):
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert len(line.split()) > 2
    assert len(lines) == len(mm.metrics.__all__) + len(mm.list_all_backends()) + 3
    for name in mm.list_all_backends():
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert "installed" in line


def test_doctor_finds_nothing_wrong():
    """In a sound environment: versions, and exit code 0."""
    requires("mpi4py")

    done = run("doctor")

    assert done.returncode == 0, done.stdout
    assert f"mmeval_like {mm.__version__}" in done.stdout
    assert "no problems found" in done.stdout


@pytest.mark.mpi
def test_doctor_under_mpiexec():
    """The ranks of the right launcher find their MPI; one of them speaks for the machine."""
    requires("mpi4py")

    ranks = run_ranks("mpiexec", 2, "-m", "mmeval_like", "doctor", check=False)

    assert "MPI library: " in ranks.stdout[0]
    assert "cannot load" not in ranks.stdout[0]
    assert "belongs to another MPI" not in ranks.stdout[0]
    assert ranks.stdout[1] == ""


def test_doctor_sees_torchrun_without_a_group():
    """Ranks that torchrun started, none initialised: it says what to call."""
    ranks = run_ranks("plain", 2, "-m", "mmeval_like", "doctor", check=False)

    assert ranks.returncode == 1
    assert "init_process_group" in "".join(ranks.stdout)


def test_help_has_examples_and_exit_codes():
    """`--help` of the program and of `score`."""
    for arguments in (["--help"], ["score", "--help"]):
        done = run(*arguments)
        assert done.returncode == 0
    assert "examples:" in done.stdout
    assert "exit codes:" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion(shell):
    """Completions for the shell are printed."""
    requires("shtab")

    done = run("--print-completion", shell)

    assert done.returncode == 0
    assert "--annotations" in done.stdout


def test_the_module_is_the_program():
    """`python -m mmeval_like` without a command explains itself, with exit code 2."""
    assert command("list")[1:3] == ["-m", "mmeval_like"]
    assert "PYTHONPATH" in environment()

    done = run()

    assert done.returncode == 2
    assert "usage: mmeval_like" in done.stderr


def test_a_reader_that_has_seen_enough():
    """`| head` ends the command without a word."""
    shell = f"{' '.join(command('list'))} | head -n 1"

    done = subprocess.run(
        ["sh", "-c", shell], capture_output=True, text=True, timeout=60, env=environment()
    )

    assert (done.stdout, done.stderr) == ("Metrics\n", "")
