"""Where samples differ that are too many to be named."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.records.ranges import other_ranges, ranges_of
from tests.helpers.examples import examples


def said(old, new):
    """The ranges as pairs of their ends, and how many samples more each has."""
    found = []
    for text in other_ranges(old, new):
        first, last, more, word = re.fullmatch(
            r"(\d+) to (\d+)(?: \((\d+) (more|fewer)\))?", text
        ).groups()
        sign = {"more": 1, "fewer": -1, None: 0}[word]
        found.append((int(first), int(last), sign * int(more or 0)))
    return found


@given(
    st.integers(0, 2**32),
    st.sampled_from([1, 7, 100, 10**6, 2**40]),
    st.integers(0, 2**62),
    st.integers(0, 50),
)
@settings(max_examples=examples(40), deadline=None)
def test_every_sample_that_differs_is_in_a_range(seed, step, start, changed):
    """All that is missing, new or changed lies in a range that is named; others have the rest."""
    rng = np.random.default_rng(seed)
    ids = np.unique(start + step * rng.permutation(400)[:200])
    hashes = rng.integers(0, 2**64, 200, np.uint64)
    kept = np.sort(rng.permutation(200)[: rng.integers(1, 201)])
    others = hashes.copy()
    others[rng.permutation(200)[:changed]] += np.uint64(1)
    old = dict(zip(ids.tolist(), hashes.tolist(), strict=True))
    new = dict(zip(ids[kept].tolist(), others[kept].tolist(), strict=True))

    found = said(ranges_of(ids, hashes), ranges_of(ids[kept], others[kept]))
    assert ranges_of(ids, hashes)["first"] < 2**53  # as every number in a record
    differ = {i for i in {*old, *new} if old.get(i) != new.get(i)}

    inside = {i for first, last, _ in found for i in {*old, *new} if first <= i <= last}
    assert differ <= inside
    assert all(any(first <= i <= last for i in differ) for first, last, _ in found)
    for first, last, more in found:
        counts = [sum(first <= i <= last for i in one) for one in (old, new)]
        assert counts[1] - counts[0] == more


def test_there_are_few_ranges():
    """At most 64, however the ids lie; texts have none."""
    for ids in (np.arange(1), np.arange(10**5), np.array([0, 2**63 - 1]), np.arange(63, 193)):
        assert 1 <= len(ranges_of(ids, np.ones(len(ids), np.uint64))["sums"]) <= 64
    assert ranges_of(np.ones((2, 2), np.uint64), np.ones(2, np.uint64)) is None
    assert ranges_of(np.arange(0), np.ones(0, np.uint64)) is None


def record_of(ids, labels):
    """A record of samples that a metric predicts as 1."""
    metric = mm.Recorded(mm.Accuracy())
    metric.add(np.ones(len(ids), int), labels, ids=ids)
    metric.compute()
    return metric.record()


@pytest.mark.parametrize("texts", [False, True])
def test_five_hundred_changed_labels_are_located(texts):
    """`verify` names the ranges; of ids that are texts it says that they are many."""
    ids = np.arange(5_000)
    labels = np.ones(5_000, int)
    named = [f"n{number}" for number in ids] if texts else ids
    old = record_of(named, labels)
    labels[1_000:1_500] = 0
    order = np.random.default_rng(0).permutation(5_000)
    new = record_of([named[i] for i in order] if texts else ids[order], labels[order])

    (rows, *_) = mm.verify(old, new)
    text = "more differ than can be named one by one, which is about 30"
    where = "" if texts else ": they are among the ids 896 to 1535"
    assert str(rows) == f"rows: {text}{where}"


def test_lost_and_new_samples_are_located():
    """With how many they are, in each range."""
    ids = np.arange(5_000)
    old = record_of(ids[:4_000], np.ones(4_000, int))
    new = record_of(ids[200:], np.ones(4_800, int))

    (text,) = [one.text for one in mm.verify(old, new) if one.part == "ids"]
    assert text.endswith("are among the ids 0 to 255 (200 fewer), 3968 to 5119 (1000 more)")


def test_the_hashes_are_bound_in_the_order_of_ids():
    """Two samples that exchange their hashes leave all sums as they are, and not the SHA-256."""
    old = record_of([1, 2], [1, 1])
    new = {**old, "claim": {**old["claim"], "rows": {**old["claim"]["rows"], "sha256": "0" * 64}}}

    assert [one.part for one in mm.verify(old, new)] == ["rows"]


@pytest.mark.parametrize("bits", [-1, 64, 10**9, "3", True])
def test_damaged_ranges_are_refused(bits):
    """No shift by an absurd number."""
    ranges = ranges_of(np.arange(9), np.ones(9, np.uint64))

    with pytest.raises(ValueError, match="0 to 63 bits"):
        [*other_ranges({**ranges, "bits": bits}, ranges)]
