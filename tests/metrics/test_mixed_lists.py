"""Lists whose entries have different dtypes: no entry is decided by its neighbours."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like import arrays
from mmeval_like.testing.inputs import take_samples
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.metric_cases import CASES
from tests.metrics.test_dtypes_of_ranks import drawn, is_float

KINDS = [float, int, bool, *(getattr(np, f"{name}{8 * size}") for name, size in (
    ("float", 2), ("float", 4), ("float", 8), ("int", 1), ("int", 8), ("uint", 8)
))]  # fmt: skip


def value(name: str, batches: list[Any]) -> Any:
    """The case's metric of the batches; None if an input is refused."""
    metric = CASES[name].make(dist_backend="non_dist")
    try:
        for batch in batches:
            metric.add(*batch)
    except (TypeError, ValueError):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few samples: undefined values warn
        return metric.compute()


@pytest.mark.parametrize("name", [name for name in CASES if any(map(is_float, drawn(name)))])
def test_a_mixed_list_is_refused_or_gives_what_its_entries_give(name: str) -> None:
    """Float32 and float64 take turns in each list of numbers or arrays."""
    data = [list(column) if is_float(column) else column for column in drawn(name)]
    mixed = tuple(
        [np.asarray(e, np.float64 if i % 2 else e.dtype)[()] for i, e in enumerate(column)]
        if is_float(before)
        else column
        for before, column in zip(drawn(name), data, strict=True)
    )
    count = max(len(column) for column in mixed if column is not None)
    at_once = value(name, [mixed])
    if at_once is None:
        return
    alone = value(name, [take_samples(mixed, np.array([index])) for index in range(count)])
    assert same(at_once, alone)


@settings(max_examples=examples(300), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(KINDS), st.sampled_from([0, 1, 0.7, 0.1, 2**53 + 1])),
        min_size=1,
        max_size=4,
    )
)
def test_every_entry_keeps_its_number(entries: Any) -> None:
    """Read together, an entry is the number that it is alone; floats also have the same dtype."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a number may overflow
        given_list = [kind(number) for kind, number in entries if kind is not np.int8 or number < 9]
        try:
            joined = arrays.to_host(given_list, "x")
        except ValueError:
            return
    for index, entry in enumerate(given_list):
        alone = arrays.to_host([entry], "x")
        assert alone.item() == joined[index].item()  # exact: Python compares integers and floats
        assert alone.dtype.kind != "f" or alone.dtype == joined.dtype


def test_examples() -> None:
    """The threshold and the eps are those of the entry, and the message names the dtypes."""
    recall, loss = mm.Recall(threshold=0.7), mm.LogLoss()
    assert recall([np.float32(0.7)], [1]) == recall([0.7], [1]) == {"recall": 1.0}
    for metric, scores in ((recall, [np.float32(0.7), 0.7]), (loss, [np.float16(0), 0.5])):
        with pytest.raises(ValueError, match=r"entries of one dtype, got a list with float.*64"):
            metric(scores, [1, 1])
    assert recall([1, 0.7, True], [1, 1, 1]) == {"recall": 1.0}  # plain numbers are float64
    with pytest.raises(ValueError, match="2\\^53"):
        mm.MeanAbsoluteError()([2**53 + 1, 0.5], [0, 0])
