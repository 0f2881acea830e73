"""Programs that add, compute, reset, merge, copy and save two equal metrics, in any order."""

from __future__ import annotations

import copy
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.hunt.cases import draw as draw_case
from tests.hunt.trial import Generator, Trial

__all__ = ["draw"]

STEPS = ("add", "add", "add", "compute", "compute", "local", "reset", "merge", "pickle", "save",
         "subtract", "call")  # fmt: skip


def draw(rng: Generator) -> Trial:
    """Run a random program on some ranks; every value is that of the samples which it then has."""
    trial = draw_case(rng)
    ranks, steps = int(rng.integers(1, 5)), rng.choice(STEPS, int(rng.integers(3, 14))).tolist()
    seed = int(rng.integers(2**31))

    def program(backend: Any) -> list[tuple[Any, Any, list[int]]]:
        alike = np.random.default_rng(seed)  # what all ranks do alike
        own = np.random.default_rng([seed, backend.rank])
        makes = {"dist_backend": backend, "dist_collect_mode": "cat"}
        pair, kept = [trial.make(**makes) for _ in range(2)], [[], []]  # type: ignore[var-annotated]
        values = []
        for step in steps:
            one = int(alike.integers(2))
            metric, has = pair[one], kept[one]
            which = own.integers(0, trial.count, int(own.integers(0, 4))).tolist()
            if step == "add" and which:
                metric.add(*trial.part(which))
                has.extend(which)
            elif step == "compute":
                values.append((step, metric.compute(), backend.all_gather_object(list(has))))
            elif step == "local":
                values.append((step, metric.compute_local(), [list(has)]))
            elif step == "reset":
                metric.reset()
                has.clear()
            elif step == "merge":
                metric.merge(pair[1 - one])
                has.extend(kept[1 - one])
            elif step == "pickle":
                pair[one] = copy.deepcopy(metric)
                pickle.dumps(metric.state_dict())
            elif step == "save":
                with tempfile.TemporaryDirectory() as folder:
                    path = str(Path(folder, "samples"))
                    metric.save(path)
                    metric.load(backend.all_gather_object(path))  # rank r takes path r
                has.extend(has.copy())
            elif step == "subtract":
                other = trial.make(**makes)  # constructed on every rank
                if which:
                    other.add(*trial.part(which))
                metric.merge(other)
                try:
                    metric.subtract(other)
                except TypeError:
                    has.extend(which)
            elif step == "call":
                metric(*trial.data)
        return values

    for values in LocalWorld(ranks).run(program):
        for step, value, kept in values:
            which = [index for rank in kept for index in rank]
            metric = trial.make(dist_backend="non_dist")
            if which:
                metric.add(*trial.part(which))
                if not same(metric.compute(), value):
                    raise AssertionError(f"{step} of {which} in {steps}: {value!r}")
    return trial
