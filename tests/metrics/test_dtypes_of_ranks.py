"""Ranks whose numbers have other dtypes, and a rank without samples."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from mmeval_like.testing import LocalWorld
from mmeval_like.testing.inputs import take_samples
from mmeval_like.testing.metric_case import Samples
from mmeval_like.testing.same import same
from tests.metric_cases import CASES


def is_float(column: Any) -> bool:
    """Whether it is an array of floats."""
    return isinstance(column, np.ndarray) and column.dtype.kind == "f"


def drawn(name: str) -> Samples:
    """Few samples of a case, with floats in float32 where this does not make them infinite."""
    case = CASES[name]
    data = case.samples(np.random.default_rng(0), max(case.least, min(4, case.most)))
    with np.errstate(over="ignore"):
        narrow = [column.astype(np.float32) if is_float(column) else column for column in data]
    pairs = zip(data, narrow, strict=True)
    return tuple(
        b if is_float(a) and same(abs(a) == np.inf, abs(b) == np.inf) else a for a, b in pairs
    )


def as_float64(data: Samples) -> Samples:
    """The same numbers."""
    return tuple(column.astype(np.float64) if is_float(column) else column for column in data)


@pytest.mark.parametrize("name", [name for name in CASES if any(map(is_float, drawn(name)))])
def test_values_and_types_are_those_of_one_process(name: str) -> None:
    """One rank has nothing, one has float32 and one float32 or float64: `same` compares dtypes."""
    data = drawn(name)
    first, second = np.array_split(np.arange(max(len(c) for c in data if c is not None)), 2)

    def value(backend: Any, batches: list[Samples]) -> Any:
        metric = CASES[name].make(dist_backend=backend, dist_collect_mode="cat")
        for batch in batches:
            metric.add(*batch)
        return metric.compute()

    narrow, other = take_samples(data, first), take_samples(data, second)
    for rest in (other, as_float64(other)):
        shards = [[], [narrow], [rest]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few samples: undefined values warn
            alone = value("non_dist", [narrow, rest])
            found = LocalWorld(3).run(lambda backend, of=shards: value(backend, of[backend.rank]))
        assert all(same(one, alone) for one in found)
