"""Levels of instructions of this processor, and the cases whose bits differ between them."""

import json
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from mmeval_like import BaseMetric
from mmeval_like._exchange.fingerprint import _given
from tests.metric_cases import CASES
from tests.processors.child import digests

ROOT = Path(__file__).resolve().parents[2]
FOUND = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
WIDE = [name for name in FOUND if name.startswith(("AVX512", "X86_V4"))]
AVX2 = {"NPY_DISABLE_CPU_FEATURES": " ".join(WIDE), "OPENBLAS_CORETYPE": "Haswell"}
LEAST = {
    "NPY_DISABLE_CPU_FEATURES": " ".join(FOUND),
    "OPENBLAS_CORETYPE": "Nehalem",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable,-FMA4,-AVX512F",
}
LEVELS = {
    "one thread": {"OPENBLAS_NUM_THREADS": "1"},
    "two threads": {"OPENBLAS_NUM_THREADS": "2"},
    "AVX2": AVX2,
    "least": LEAST,
    "other functions": LEAST | {"OTHER_FUNCTIONS": "1"},
}
"""Environment variables for numpy's own loops, BLAS, and the mathematical library of glibc.

What the last level does besides, `tests/processors/other_functions.py` says.
"""


def metric_of(case: str) -> BaseMetric:
    """Return the metric of a case."""
    return CASES[case].make(dist_backend="non_dist")


@contextmanager
def inputs(samples: int, seed: int, interval: float | None = None) -> Iterator[Path]:
    """Write the class, the options and the arguments of `add` of every case, and yield the file.

    They are drawn once, here: numpy's random floats may differ between processors, too.
    """
    drawn = {}
    for name, case in CASES.items():
        rng = np.random.default_rng([seed, *name.encode()])
        most = samples if case.array_inputs and case.most >= 24 else min(samples, case.most)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arguments = case.samples(rng, max(case.least, most))
        kind, options = _made_by(metric_of(name))
        drawn[name] = pickle.dumps((kind, options | {"interval": interval}, arguments))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "inputs"
        path.write_bytes(pickle.dumps(drawn))
        yield path


def _made_by(metric: BaseMetric) -> tuple[type[BaseMetric], dict[str, object]]:
    """Return a metric's class and options, since its constructor may compute, too."""
    usual, given = _given(metric, (), {}), metric._options._given
    options = {key: one for key, one in given.items() if key not in usual or one is not usual[key]}
    return type(metric), options


def differing(path: Path, level: str) -> set[str]:
    """Return the cases whose state or values differ in a bit between here and a level."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.processors.child", str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **LEVELS[level]},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"level {level!r}: {done.stderr[-2000:]}")
    here, there = digests(path), json.loads(done.stdout)
    return {name for name in here if here[name] != there[name]}
