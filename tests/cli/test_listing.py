"""`list`, `doctor`, `--help` and shell completion."""

import importlib
import inspect
import subprocess
import sys

import pytest

import mmeval_like as mm
from mmeval_like.backends import install_command
from mmeval_like.cli import doctor, main
from mmeval_like.cli.parser import make_parser
from mmeval_like.cli.specs import metric_names
from tests.cli.files import command, environment, run
from tests.helpers.launch import run_ranks
from tests.helpers.optional import requires


def test_list_has_every_metric_and_backend(capsys):
    """A line each; a backend whose library is missing says how to install it."""
    assert main(["list"]) == 0

    lines = capsys.readouterr().out.splitlines()
    for name in metric_names():
        (line,) = [line for line in lines if line.split()[:1] == [name] and line[2:3] != " "]
    for name in mm.list_all_backends():
        (line,) = [line for line in lines if line.split()[:1] == [name] and line[2:3] != " "]
        assert "installed" in line
    for heading in ("Classification", "Detection", "Backends"):
        assert heading in lines
    headings = [i for i, line in enumerate(lines) if line and line[0] not in " `"]
    assert all(lines[i + 1].startswith("  ") for i in headings)  # none has nothing below it


@pytest.mark.parametrize("width", ["60", "80", "120"])
def test_list_fits_the_terminal(capsys, monkeypatch, width):
    """Lines are wrapped at words; only a name that is too long is not."""
    monkeypatch.setenv("COLUMNS", width)
    assert main(["list"]) == 0

    for line in capsys.readouterr().out.splitlines():
        assert len(line) <= int(width) or len(line.split()) == 1 or line.startswith("`")


@pytest.mark.parametrize("name", sorted(metric_names()))
def test_a_metrics_page(capsys, name):
    """Every metric: its arguments with types and defaults, its columns, and an example."""
    assert main(["list", name]) == 0

    page = capsys.readouterr().out
    for heading in (name, "Columns", "Example"):
        assert heading in page.splitlines()
    assert f"--metric {name}" in page
    first = page.partition("\nColumns\n")[2].split()[0]
    assert first != "sample_weight"  # there is something that it weights
    assert f"--column {first}=COLUMN" in page
    classes = name in ("cohen_kappa", "confusion_matrix", "f1_score")
    assert (f"--metric {name}:num_classes=..." in page) >= classes


def test_the_page_of_accuracy(capsys):
    """What the page says."""
    assert main(["list", "accuracy"]) == 0
    page = capsys.readouterr().out
    assert "labels" in page
    assert "topk" in page
    assert "default" in page
    assert main(["list", "acuracy"]) == 2
    assert "did you mean accuracy" in capsys.readouterr().err


def test_version(capsys):
    """`--version`."""
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"mmeval_like {mm.__version__}\n"


def test_doctor_names_the_remedy(capsys, monkeypatch):
    """What is not installed is no problem, and the line says what cannot run without it."""
    real = doctor.importlib.util.find_spec
    absent = ("pyarrow", "zmq", "mpi4py")
    monkeypatch.setattr(
        doctor.importlib.util, "find_spec", lambda name: None if name in absent else real(name)
    )
    monkeypatch.setattr(doctor, "detect_launcher", lambda: None)
    monkeypatch.setattr(doctor, "_version", lambda name: None)

    assert main(["doctor"]) == 0

    printed = capsys.readouterr().out
    assert "note: score of .csv, .tsv, .parquet, .feather and .arrow cannot run: pip" in printed
    assert "note: score -n with --backend zmq cannot run: pip" in printed


def test_doctor_without_an_mpi_library(capsys, monkeypatch):
    """mpi4py alone, as `[all]` installs it: a note with the remedy, and exit code 0."""
    requires("mpi4py")
    monkeypatch.setattr(doctor, "detect_launcher", lambda: None)
    failed = subprocess.CompletedProcess([], 1, "", "cannot load libmpi.so")
    monkeypatch.setattr(doctor.subprocess, "run", lambda *_, **__: failed)
    monkeypatch.setattr("ctypes.util.find_library", {}.get)

    assert main(["doctor"]) == 0
    assert "note: the backend mpi4py cannot run: cannot load libmpi.so; pip install" in (
        capsys.readouterr().out
    )


def test_doctor_with_the_mpich_of_debian(capsys, monkeypatch):
    """Wheels of mpi4py do not load libmpich.so: a problem, and the advice builds mpi4py for it."""
    requires("mpi4py")
    monkeypatch.setattr(doctor, "detect_launcher", lambda: None)
    failed = subprocess.CompletedProcess([], 1, "", "cannot load libmpi.so.12")
    monkeypatch.setattr(doctor.subprocess, "run", lambda *_, **__: failed)
    monkeypatch.setattr("ctypes.util.find_library", {"mpich": "libmpich.so.12"}.get)

    assert main(["doctor"]) == 1

    printed = capsys.readouterr().out
    assert "problem: the backend mpi4py cannot run: cannot load libmpi.so.12; apt-get" in printed
    assert "pip install --force-reinstall --no-cache-dir --no-binary mpi4py mpi4py" in printed
    assert "no problems found" not in printed


@pytest.mark.parametrize(
    ("library", "command"),
    [("mpich", "--no-binary mpi4py"), ("mpi", "pip install mpi4py"), ("", "'mmeval-like[mpi]'")],
)
def test_the_mpi_library_of_the_system_decides_what_to_install(monkeypatch, library, command):
    """The extra `mpi` is for systems without an MPI library."""
    monkeypatch.setattr("ctypes.util.find_library", {library: "found"}.get)

    assert command in install_command("mpi4py")


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


def test_bash_completes_both_names_of_the_command(tmp_path):
    """A real shell, asked as it is when the tab key is pressed."""
    requires("shtab")
    script = (
        run("--print-completion", "bash").stdout
        + """
complete_() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    local rule=$(complete -p "$1"); rule=${rule#*-F }; rule=${rule%% *}
    "$rule" "$1" "${@: -1}" "${@: -2:1}" 2> /dev/null; echo "${COMPREPLY[@]}"
}
complete_ mmeval_like sco
complete_ mmeval-like doc
complete_ mmeval-like score --annot
complete_ mmeval_like score --backend to
"""
    )
    (tmp_path / "asked.sh").write_text(script)

    done = subprocess.run(
        ["bash", "--norc", tmp_path / "asked.sh"], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["score", "doctor", "--annotations", "torch"]
    assert run("--print-completion", "none").returncode == 2


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

    assert (done.stdout, done.stderr) == ("Classification\n", "")


def test_every_command_names_what_runs_it() -> None:
    """The parser names a function of the options for every command, and all commands differ."""
    subparsers = next(a for a in make_parser()._actions if isinstance(a.choices, dict))
    runs = [command.get_default("run") for command in subparsers.choices.values()]
    assert len(set(runs)) == len(runs) == 10
    for target in runs:
        module, _, name = target.partition(":")
        function = getattr(importlib.import_module(module), name)
        assert list(inspect.signature(function).parameters) == ["options"]


def test_help_imports_no_command() -> None:
    """`--help` is quick: neither numpy nor the module of any command is imported."""
    program = """
import sys
from mmeval_like.cli import main
try:
    main(["gate", "--help"])
except SystemExit:
    print(sorted({"numpy", "mmeval_like.cli.gate", "mmeval_like.cli.ranks"} & {*sys.modules}))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
