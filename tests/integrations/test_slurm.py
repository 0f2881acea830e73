"""The batch script for Slurm as a job, where a cluster of Slurm answers."""

import ast
import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.helpers.launch import ROOT
from tests.helpers.optional import require_installed


def answers():
    """Whether jobs can be submitted here."""
    if shutil.which("sbatch") is None:
        return False
    try:
        return subprocess.run(["sinfo"], capture_output=True, timeout=20).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def test_a_job_has_the_numbers_of_one_process(tmp_path):
    """By MPI, by torch and by the command line, on 2 tasks."""
    require_installed("torch", "mpi4py", "sklearn", "rich")
    if not answers():
        pytest.skip("needs a cluster of Slurm")
    (tmp_path / "predictions.csv").write_text("predictions,labels\n0,0\n1,1\n2,1\n2,2\n")
    command = tmp_path / "mmeval_like"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m mmeval_like "$@"\n')
    command.chmod(0o755)
    folders = [str(tmp_path), os.path.dirname(sys.executable), os.environ["PATH"]]
    env = {
        "PATH": os.pathsep.join(folders),
        "PYTHONPATH": str(ROOT),
        "PREDICTIONS": str(tmp_path / "predictions.csv"),
    }
    output = tmp_path / "job.txt"

    subprocess.run(
        ["sbatch", "--wait", f"--output={output}", ROOT / "examples" / "slurm_job.sh"],
        env=os.environ | env, cwd=ROOT, check=True, timeout=280,
    )  # fmt: skip

    digits, one, other, *table = output.read_text().splitlines()
    alone = subprocess.run(
        [sys.executable, ROOT / "examples" / "eval_loop.py"],
        env=os.environ | env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(digits) == json.loads(alone.stdout)
    assert ast.literal_eval(one) == ast.literal_eval(other) == {"top1": 7 / 9}
    assert json.loads("".join(table)) == {"accuracy": {"top1": 0.75}, "samples": 4}


def test_a_wrong_protocol_is_an_error_on_every_task():
    """`--mpi=none` makes a world of each process; no part's number is printed."""
    require_installed("mpi4py")
    if not answers():
        pytest.skip("needs a cluster of Slurm")
    program = (
        "import mpi4py.MPI, mmeval_like as mm; metric = mm.Accuracy(); metric.add([1], [1]); "
        "print(metric.compute())"
    )

    done = subprocess.run(
        ["srun", "--ntasks=2", "--mpi=none", sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip

    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.count("LauncherMismatchError: srun started 2 processes, but MPI sees") == 2
