"""Hostile input: `add` refuses it and loses nothing, or `compute` has one value for it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from mmeval_like.testing.metric_case import Samples
from mmeval_like.testing.same import same
from tests.hunt.cases import NAMES
from tests.hunt.trial import Generator, Trial
from tests.hunt.ways import alone
from tests.metric_cases import CASES

__all__ = ["draw"]

SPECIAL = [np.nan, np.inf, -np.inf, 1e308, -1e308, 1.7e308, 1e200, -1e155, 5e-324, 0.0, -0.0, -1.0,
           1e-310, 2.0, 255.0, 1.5, 2.0**53, 2.0**63]  # fmt: skip
INTEGERS = [-1, 0, 255, 2**31, 2**53, 2**63 - 1, -(2**63), 77]
DTYPES = ["float16", "float32", "float64", "longdouble", "object", "bool", "int8", "uint8",
          "int64", "uint64", "complex128", ">f8", "U8"]  # fmt: skip


def draw(rng: Generator) -> Trial:
    """Return samples that a metric accepted although they are hostile."""
    case = CASES[NAMES[int(rng.integers(len(NAMES)))]]
    count = int(rng.integers(case.least, case.most + 1))
    good = case.samples(rng, count)
    bad = _spoiled(rng, copy.deepcopy(good))
    trial = Trial(case.make, {}, bad, count, None, 0.0, case.order_matters)
    metric = case.make(dist_backend="non_dist")
    metric.add(*good)
    before = metric.compute()
    try:
        metric.add(*bad)
    except (TypeError, ValueError):
        if not same(metric.compute(), before):
            raise AssertionError("a batch that add() refused changed the value") from None
        return Trial(case.make, {}, good, count, None, 0.0, case.order_matters)
    try:
        metric.compute()
    except ValueError as error:  # rows that look like lists, after one-hot rows
        if "say which by pred_is_onehot or label_is_onehot" not in str(error):
            raise
    kept = [len(c) for c in bad if isinstance(c, list) or (isinstance(c, np.ndarray) and c.ndim)]
    if any(length != count for length in kept) or not kept:
        alone(trial)
        return Trial(case.make, {}, good, count, None, 0.0, case.order_matters)
    return trial


def _spoiled(rng: Generator, data: Samples) -> Samples:
    columns = [i for i, column in enumerate(data) if column is not None]
    place = columns[int(rng.integers(len(columns)))]
    return tuple(_spoil(rng, c) if i == place else c for i, c in enumerate(data))


def _spoil(rng: Generator, column: Any) -> Any:
    if isinstance(column, dict):
        keys = sorted(column)
        key = keys[int(rng.integers(len(keys)))] if keys else None
        return {k: _spoil(rng, v) if k == key else v for k, v in column.items()}
    if isinstance(column, list | tuple) and column:
        place = int(rng.integers(len(column)))
        return [_spoil(rng, c) if i == place else c for i, c in enumerate(column)]
    if isinstance(column, bool | int | float):
        return _value(rng, isinstance(column, float))
    if not isinstance(column, np.ndarray) or not column.size:
        return column
    with np.errstate(all="ignore"):
        kind = rng.integers(6)
        if kind == 0:
            return column.astype(str(rng.choice(DTYPES)))
        if kind == 1:
            return np.ma.array(column, mask=rng.random(column.shape) < 0.3)
        if kind == 2:
            return column[: len(column) // 2] if rng.random() < 0.5 else column[..., None]
        spoiled = column.copy()
        if column.dtype.kind == "f" or (kind == 3 and column.dtype.kind in "iub"):
            spoiled = spoiled.astype(float) if column.dtype.kind != "f" else spoiled
            spoiled[rng.random(column.shape) < rng.choice([0.05, 0.5, 1.0])] = rng.choice(SPECIAL)
        elif column.dtype.kind in "iub":
            spoiled = spoiled.astype(np.int64)
            spoiled[rng.random(column.shape) < rng.choice([0.05, 0.5, 1.0])] = rng.choice(INTEGERS)
        return spoiled


def _value(rng: Generator, real: bool) -> Any:
    return float(rng.choice(SPECIAL)) if real else int(rng.choice(INTEGERS))
