"""A nan among the inputs is refused, warned of, or seen in the value: none vanishes in silence."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import MetricCase
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.metric_cases import CASES

Path = tuple[Any, ...]

# Where a nan says that a rater gave no rating.
WITHOUT_RATING = (
    mm.BrennanPrediger,
    mm.FleissKappa,
    mm.GwetAC,
    mm.KrippendorffAlpha,
    mm.PercentAgreement,
)
# With nan="omit" it was asked for; the other is a class of the tests, which makes floats integers.


def takes_ratings(case: MetricCase) -> bool:
    """Whether its metric is one of them; not, where it cannot be made here."""
    with suppress(ModuleNotFoundError):
        return isinstance(case.make(), WITHOUT_RATING)
    return False


NAMES = sorted(
    name
    for name, case in CASES.items()
    if "omit" not in name and not name.endswith("of integers") and not takes_ratings(case)
)


def numbers_in(data: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield where arrays of numbers, and floats, are in the arguments of `add`."""
    if isinstance(data, dict | list | tuple):
        for key, entry in data.items() if isinstance(data, dict) else enumerate(data):
            yield from numbers_in(entry, (*path, key))
    elif isinstance(data, float) or (
        isinstance(data, np.ndarray) and data.size and data.dtype.kind in "fiu"
    ):
        yield path, data


def with_nan(data: Any, path: Path, rng: np.random.Generator) -> Any:
    """Return the arguments with one number replaced."""
    if path:
        changed = copy.copy(data) if isinstance(data, dict) else list(data)
        changed[path[0]] = with_nan(data[path[0]], path[1:], rng)
        return changed
    if isinstance(data, float):
        return math.nan
    spoiled = data.astype(data.dtype if data.dtype.kind == "f" else np.float64)
    spoiled.flat[rng.integers(data.size)] = math.nan
    return spoiled


def finite(value: Any) -> bool:
    """Whether there is no nan and no infinity in a result."""
    if isinstance(value, dict | list | tuple):
        return all(map(finite, value.values() if isinstance(value, dict) else value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind != "f" or bool(np.isfinite(value).all())
    return not isinstance(value, float) or math.isfinite(value)


@pytest.mark.parametrize("name", NAMES)
def test_a_nan_shows_or_changes_nothing(name: str) -> None:
    """What is not used, such as a point that is masked, may be nan."""
    case = CASES[name]
    for seed in range(examples(4)):
        rng = np.random.default_rng(seed)
        good = case.samples(rng, min(4, case.most))
        places = list(numbers_in(good))
        if not places:
            return
        path, _ = places[rng.integers(len(places))]
        bad = with_nan(good, path, rng)
        values = []
        with warnings.catch_warnings(record=True) as warned:
            for data in (good, bad):
                warnings.simplefilter("always" if data is bad else "ignore")
                metric = case.make(dist_backend="non_dist")
                try:
                    metric.add(*data)
                except (TypeError, ValueError):
                    break
                values.append(dict(metric.compute()))
        # What numpy says of its own arithmetic tells nobody what to do.
        told = [one for one in warned if " encountered in " not in str(one.message)]
        if len(values) == 2 and not told and finite(values[0]) and finite(values[1]):
            assert same(*values), f"a nan at {path} of sample set {seed}: {values}"
