"""What Windows lacks is not needed for computing: it is removed here, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mmeval_like
from tests.helpers.optional import require_installed

PACKAGE = Path(mmeval_like.__file__).parent
# Before anything else is imported. `fcntl` is missing as a module that was never installed is.
WITHOUT_POSIX = """
import os, sys
for name in ("fork", "forkpty", "register_at_fork", "mkfifo", "killpg", "sched_getaffinity"):
    vars(os).pop(name, None)
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
"""


def run(program: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program without what POSIX systems alone have."""
    command = [sys.executable, "-X", "warn_default_encoding", "-W", "error", "-c"]
    return subprocess.run(
        [*command, WITHOUT_POSIX + program, *arguments],
        capture_output=True, text=True, cwd=folder, timeout=60,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PYTHONUTF8": "0"},
    )  # fmt: skip


@pytest.fixture
def predictions(tmp_path: Path) -> str:
    """The name of a file of two rows, one of them right."""
    (tmp_path / "preds.csv").write_text("pred,label\n1,1\n0,1\n", encoding="utf-8")
    return "preds.csv"


COMMAND = "from mmeval_like.cli import main; sys.exit(main(sys.argv[1:]))"


def test_a_metric_is_computed_without_forks(tmp_path: Path) -> None:
    """Import, add, compute, save and load need no fork, no pipe and no lock of POSIX."""
    done = run(
        "import mmeval_like as mm\n"
        "metric = mm.Accuracy()\n"
        "metric.add([1, 0], [1, 1])\n"
        "metric.compute_async().result()\n"
        "metric.save('half.mm')\n"
        "metric.load('half.mm')\n"
        "print(metric.compute()['top1'])\n",
        folder=tmp_path,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "0.5" in done.stdout or "50.0" in done.stdout


def test_no_module_needs_forks() -> None:
    """Every hook around a fork is registered in the one place that asks whether there are forks."""
    calls = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if "register_at_fork(" in file.read_text(encoding="utf-8")
    }

    assert calls == {"_base/at_fork.py"}


def test_the_command_scores_without_forks(tmp_path: Path, predictions: str) -> None:
    """`score` reads a file and writes its result."""
    require_installed("pyarrow")
    done = run(COMMAND, "score", predictions, "--metric", "accuracy", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "0.5" in done.stdout or "50" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "named"), [(("-n", "2"), "-n"), (("--resume", "saved"), "--resume")]
)
def test_an_option_that_needs_posix_says_so(
    tmp_path: Path, predictions: str, arguments: tuple[str, ...], named: str
) -> None:
    """What needs processes or locks of POSIX ends with one line that names the option."""
    require_installed("pyarrow")
    command = ("score", predictions, "--metric", "accuracy", *arguments)
    done = run(COMMAND, *command, folder=tmp_path)

    assert done.returncode == 2
    assert named in done.stderr
    assert "Windows" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_metric_goes_to_a_spawned_process(tmp_path: Path) -> None:
    """With the start method of Windows and macOS, parts computed by workers make the whole."""
    program = tmp_path / "spawned.py"
    program.write_text(
        "import multiprocessing\n"
        "import mmeval_like as mm\n"
        "def part(rows):\n"
        "    metric = mm.Accuracy()\n"
        "    metric.add(*rows)\n"
        "    return metric\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
        "        parts = pool.map(part, [([1, 0], [1, 1]), ([2], [2])])\n"
        "    assert mm.merge(parts).compute() == mm.Accuracy()([1, 0, 2], [1, 1, 2])\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
