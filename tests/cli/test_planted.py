"""Programs that lie beside the predictions are data: no process of a command runs them."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.files import command, environment
from tests.helpers.optional import require_installed
from tests.helpers.pace import patient

OTHERS = (
    *("numpy", "scipy", "torch", "oneflow", "mpi4py", "zmq"),
    *("pyarrow", "rich", "matplotlib", "jinja2"),
)


@pytest.fixture
def planted(tmp_path):
    """A folder with predictions and, for every module that may be imported, one that leaves a mark.

    Each goes on as the module that it hides, so that all of them are found.
    """
    np.savez(tmp_path / "preds.npz", predictions=[0, 1, 0, 1], labels=[1, 1, 1, 1])
    for name in {*sys.stdlib_module_names, *OTHERS} - {"__main__", "sys"}:
        (tmp_path / f"{name}.py").write_text(
            "import sys\n"
            f"open({str(tmp_path / 'ran')!r}, 'a').write(__name__ + chr(10))\n"
            "path = [*sys.path]\n"
            f"sys.path[:] = [p for p in path if p not in ('', {str(tmp_path)!r})]\n"
            "del sys.modules[__name__]\n"
            "__import__(__name__)\n"
            "sys.path[:] = path\n"
        )
    return tmp_path


def marks(folder: Path) -> str:
    """The modules that ran."""
    ran = folder / "ran"
    return ran.read_text() if ran.exists() else ""


@pytest.mark.parametrize(
    "backend", ["zmq", "torch", "oneflow", pytest.param("mpi4py", marks=pytest.mark.mpi)]
)
def test_ranks_run_nothing_of_the_current_folder(planted, backend):
    """As the command itself does not, whatever starts the ranks."""
    require_installed(backend, *["mpiexec"] * (backend == "mpi4py"))
    command = planted.parent / "mmeval_like"  # as pip writes it, in a folder of commands
    command.write_text("import sys; from mmeval_like.cli import main; sys.exit(main())")
    asked = ["score", "preds.npz", "--metric", "accuracy", "-n", "2", "--backend", backend]

    done = subprocess.run(
        [sys.executable, command, *asked], cwd=planted, env=environment(), capture_output=True,
        text=True, timeout=patient(60),
    )  # fmt: skip

    assert marks(planted) == ""
    assert done.returncode == 0, done.stderr
    assert "0.5" in done.stdout


def test_python_m_runs_no_more_of_the_current_folder_than_python_does(planted):
    """What `python -m` runs for an empty package, and nothing for ours; and the limit is real."""
    empty = planted / "empty"
    empty.mkdir()
    for name in ("__init__", "__main__"):
        (empty / f"{name}.py").touch()
    found = []
    for asked in (["empty"], ["mmeval_like", "score", "preds.npz", "--metric", "accuracy"]):
        (planted / "ran").write_text("")
        done = subprocess.run(
            [sys.executable, "-m", *asked], cwd=planted, env=environment(), capture_output=True,
            text=True, timeout=patient(60),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found.append(marks(planted))

    assert found[1] == found[0]


def test_only_its_own_start_changes_the_path(tmp_path):
    """Another package's `python -m`, whose folder is current, still finds its files."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "__init__.py").write_text("import mmeval_like")
    (other / "__main__.py").write_text("import beside")
    (tmp_path / "beside.py").write_text("print('found')")

    done = subprocess.run(
        [sys.executable, "-m", "other", "mmeval_like"], cwd=tmp_path, env=environment(),
        capture_output=True, text=True, timeout=patient(60),
    )  # fmt: skip

    assert done.stdout == "found\n", done.stderr


def test_no_setting_of_the_current_folder_changes_a_picture(tmp_path):
    """A `matplotlibrc` beside the predictions: the same bytes as without, and no program runs."""
    require_installed("matplotlib", "jinja2")
    np.savez(tmp_path / "preds.npz", predictions=[0, 1, 0, 1], labels=[1, 1, 1, 1])
    asked = ["score", "preds.npz", "--metric", "accuracy", "--report", "page.html"]
    made = []
    for settings in ("", "font.size: 30\ntext.usetex: True\nbackend: TkAgg\ntimezone: Asia/Tokyo"):
        (tmp_path / "matplotlibrc").write_text(settings)
        for words in ([*asked, "--record", "r.json"], ["log", "r.json", "--plot", "log.png"]):
            done = subprocess.run(
                [*command(), *words], cwd=tmp_path, capture_output=True, text=True,
                env=environment() | {"SOURCE_DATE_EPOCH": "1795426860"}, timeout=patient(60),
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
        made.append([(tmp_path / name).read_bytes() for name in ("page.html", "log.png")])

    assert made[0] == made[1]
