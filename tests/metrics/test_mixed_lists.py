"""Lists whose entries have different dtypes: no entry is decided by its neighbours."""

from __future__ import annotations

import warnings
from functools import partial
from itertools import pairwise
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
    for integers in ([2**63 + 1, 1], (-1, 2**64 - 1)):  # numpy makes floats of them
        with pytest.raises(ValueError, match=r"2\^53.*float64 rounds integers"):
            mm.Max().add(integers)


BINARY = [
    partial(mm.Recall, threshold=0.0),
    partial(mm.Recall, threshold=-1),
    partial(mm.Accuracy, task="binary", threshold=2.0),
    partial(mm.ConfusionMatrix, task="binary", num_classes=2, threshold=0.0),
    partial(mm.MatthewsCorrCoef, task="binary", num_classes=2, threshold=0.0),
]


@pytest.mark.parametrize("make", BINARY)
@settings(max_examples=examples(40), deadline=None)
@given(
    samples=st.lists(
        st.tuples(st.sampled_from([0, 1, 0.4, -1.5, 0.0, 1.0, False]), st.integers(0, 1)),
        min_size=1,
        max_size=5,
    ),
    cuts=st.lists(st.integers(1, 4), max_size=3),
)
def test_integers_beside_scores_count_alike_in_every_batch(
    make: Any, samples: Any, cuts: Any
) -> None:
    """Beside a float, 0 reaches a threshold of 0.0; as a class it would not: then it is refused."""
    found, refused = [], []
    for ends in ([], cuts, range(1, len(samples))):
        places = sorted({0, len(samples), *(end for end in ends if end < len(samples))})
        metric = make(dist_backend="non_dist")
        try:
            for start, end in pairwise(places):
                metric.add(*map(list, zip(*samples[start:end], strict=True)))
        except ValueError as error:
            refused.append(str(error))
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few samples: undefined values warn
            found.append(metric.compute())
    assert all(same(one, found[0]) for one in found)
    assert all("integers are classes, to which threshold=" in text for text in refused)


def test_classes_and_other_thresholds() -> None:
    """A class and its score are the same where 0 is below the threshold and 1 is not."""
    for make in (mm.Recall, partial(mm.Accuracy, task="binary")):
        for threshold in (None, 0.1, 1.0):
            metric = make(threshold=threshold)
            assert same(metric([0, 1, 1], [1, 1, 0]), metric([0.0, 1.0, 1.0], [1, 1, 0]))
    several = mm.Recall(task="multilabel", num_classes=2, threshold=0.0)
    with pytest.raises(ValueError, match=r"integers are classes, to which threshold=0\.0"):
        several([[0, 1]], [[1, 1]])
    several.add(np.zeros((0, 2), np.int64), np.zeros((0, 2), np.int64))


@pytest.mark.parametrize("options", [{"thr": 0.0}, {"thr": 1.5}, {"thr": None, "topk": 1}])
def test_one_hot_rows_beside_scores(options: Any) -> None:
    """Rows of 0 and 1 are classes, as floats scores: refused where these predict other classes."""
    unclear = mm.MultiLabelPrecisionRecallF1score(3, **options)
    with pytest.raises(ValueError, match="say which by pred_is_onehot"):
        unclear([[1, 1, 0]], [[1, 1, 0]])
    clear = mm.MultiLabelPrecisionRecallF1score(3, pred_is_onehot=True, **options)
    assert same(clear([[1, 1, 0]], [[1, 1, 0]]), clear([[1.0, 1, 0]], [[1, 1, 0]]))


def test_samples_of_different_lengths_have_one_dtype() -> None:
    """As samples of equal lengths; an empty one has no dtype of its own."""
    recall = mm.Recall(threshold=0.7)
    labels = [[1], [1, 1]]
    with pytest.raises(ValueError, match="one dtype, got a list with float32, float64"):
        recall([np.float32([0.7]), np.array([0.7, 0.2])], labels)
    scores = [np.float32([0.7]), np.float32([0.7, 0.2]), []]
    assert recall(scores, [*labels, []]) == {"recall": 2 / 3}


@pytest.mark.parametrize(
    "make", [mm.ROC, mm.PrecisionRecallCurve, mm.DETCurve, partial(mm.ROC, max_points=5)]
)
@settings(max_examples=examples(40), deadline=None)
@given(
    scores=st.lists(
        st.builds(
            lambda kind, number: kind(number),
            st.sampled_from([*KINDS, np.int16, np.uint16, np.int32]),
            st.sampled_from([0, 1, 0.7, 0.1]),
        ),
        min_size=1,
        max_size=4,
    ),
    place=st.integers(0, 4),
)
def test_thresholds_have_one_dtype(make: Any, scores: Any, place: int) -> None:
    """The dtype of the thresholds is that of all scores, however they are cut into lists."""
    found = []
    for batches in ([scores], [scores[:place], scores[place:]], [[one] for one in scores]):
        metric = make(dist_backend="non_dist")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scores of 0 and 1, one class
            try:
                for batch in batches:
                    metric.add(batch, [1] * len(batch))
            except ValueError:
                continue
            found.append(metric.compute()["thresholds"])
    assert len({one.dtype for one in found}) == 1
    assert all(same({"": one}, {"": found[-1]}) for one in found)
