"""Prediction files for the tests, and the command as a user runs it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from mmeval_like.cli import main
from tests.helpers.launch import _INHERITED, AS_ROOT, ROOT
from tests.helpers.pace import in_time, patient

ROWS = 500


def predictions():
    """Class ids, labels, slices and indices."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, ROWS)
    found = np.where(rng.random(ROWS) < 0.7, labels, rng.integers(0, 4, ROWS))
    return {
        "predictions": found,
        "labels": labels,
        "domain": rng.choice(["day", "night"], ROWS),
        "id": np.arange(ROWS),
    }


def write(folder: Path, kind: str, table=None, name="preds") -> Path:
    """The table as a file of this format."""
    table = predictions() if table is None else table
    path = folder / f"{name}.{kind}"
    rows = [
        dict(zip(table, row, strict=True)) for row in zip(*map(list, table.values()), strict=True)
    ]
    if kind == "npz":
        np.savez(path, **table)
    elif kind == "csv":
        lines = [",".join(table), *(",".join(str(cell) for cell in row.values()) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    elif kind == "jsonl":
        text = [json.dumps(row, default=lambda cell: np.asarray(cell).tolist()) for row in rows]
        path.write_text("\n".join(text) + "\n")
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {k: list(v) if getattr(v, "ndim", 1) > 1 else v for k, v in table.items()}
        pq.write_table(pa.table(columns), path, row_group_size=64)
    return path


def score(folder: Path, *arguments) -> dict:
    """The JSON that the command writes, run in this process."""
    target = folder / "result.json"
    assert main(["score", *map(str, arguments), "--json", str(target)]) == 0
    found = json.loads(target.read_text())
    slices = found.values() if "all" in found else [found]
    assert all(isinstance(values.pop("samples"), int) for values in slices)
    return found


def environment():
    """A user's environment: no launcher's variables, this source tree."""
    clean = {k: v for k, v in os.environ.items() if not _INHERITED.match(k)}
    return clean | AS_ROOT | {"PYTHONPATH": str(ROOT), "COLUMNS": "120"}


def command(*arguments) -> list[str]:
    """The command line that starts the program."""
    return [sys.executable, "-m", "mmeval_like", *map(str, arguments)]


def run(*arguments, timeout=180, **options) -> subprocess.CompletedProcess:
    """Run the command in a process of its own."""
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        timeout=patient(timeout),
        env=environment(),
        **options,
    )


def ranks_of(parent: int) -> list[int]:
    """The processes that a process started."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [int(pid) for pid in children.split()]


def await_ranks(process: subprocess.Popen, count: int) -> list[int]:
    """Wait until a process has started so many, and return them."""
    found: list[int] = []

    def started_or_ended() -> bool:
        found[:] = [] if process.poll() is not None else ranks_of(process.pid)
        return len(found) == count or process.poll() is not None

    in_time(started_or_ended, 20)
    assert len(found) == count, "the ranks were not started"
    return found


def gone(pids: list[int]) -> bool:
    """Whether these processes end within some seconds."""
    if in_time(lambda: not any(map(_alive, pids)), 10):
        return True
    for pid in pids:
        if _alive(pid):
            os.kill(pid, signal.SIGKILL)
    return False


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def said(capsys, *arguments):
    """The one line that the command says."""
    code = main(["score", *map(str, arguments)])
    captured = capsys.readouterr()
    assert code == 2, captured
    assert captured.out == ""
    assert captured.err.count("\n") == 1, captured.err
    assert "Traceback" not in captured.err
    return captured.err
