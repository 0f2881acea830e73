"""What the detection metrics share, each part against a plain loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like.metrics.detection.bits import bytes_for, pack, pack_bytes, to_bytes, unpack_bytes
from mmeval_like.metrics.detection.radix import falling
from mmeval_like.metrics.detection.runs import begins_of_runs, lengths_of_runs, place_in_run
from mmeval_like.testing.same import same
from tests.helpers import requires
from tests.metrics import (
    test_ava_mean_ap,
    test_coco_detection,
    test_dota_mean_ap,
    test_oid_mean_ap,
    test_proposal_recall,
    test_voc_mean_ap,
)

METRICS = (
    test_ava_mean_ap.CASES
    | test_coco_detection.CASES
    | test_dota_mean_ap.CASES
    | test_oid_mean_ap.CASES
    | test_proposal_recall.CASES
    | test_voc_mean_ap.CASES
)


@pytest.mark.parametrize("name", METRICS)
def test_an_empty_batch_changes_nothing(name: str) -> None:
    """A batch without images is accepted, first, last and in between."""
    requires("pycocotools")
    case = METRICS[name]
    data = case.samples(np.random.default_rng(1), 4)
    nothing = [[] for _ in data]
    metric = case.make(dist_backend="non_dist")
    metric.add(*nothing)
    metric.add(*data)
    metric.add(*nothing)

    assert same(metric.compute(), case.make()(*data))


@pytest.mark.parametrize("width", [32, 64])
@given(data=st.data())
def test_falling_is_a_stable_sort(width: int, data: st.DataObject) -> None:
    """Any floats, infinities and both zeros included, in the order of Python's stable sort."""
    floats = st.floats(width=width, allow_nan=False) | st.sampled_from([0.0, -0.0, 0.5])
    values = data.draw(st.lists(floats, max_size=40))

    order = falling(np.array(values, f"f{width // 8}"))

    assert order.tolist() == sorted(range(len(values)), key=lambda i: -values[i])


@given(st.integers(0, 2**32 - 1), st.integers(1, 150), st.integers(0, 9))
def test_bits_come_back(seed: int, columns: int, count: int) -> None:
    """Flags packed in bytes, or in words and cut to bytes, are the same and come back."""
    flags = np.random.default_rng(seed).random((count, columns)) < 0.5

    packed = pack_bytes(flags)

    assert packed.shape == (count, bytes_for(columns))
    assert np.array_equal(unpack_bytes(packed, columns), flags)
    assert np.array_equal(to_bytes(pack(flags), columns), packed)


@given(st.lists(st.integers(0, 3)))
def test_runs(keys: list[int]) -> None:
    """Runs of equal keys: begin, length, and the place of every key in its own."""
    places: list[int] = []
    for i, key in enumerate(keys):
        places.append(places[-1] + 1 if i and keys[i - 1] == key else 0)
    begins = [i for i, place in enumerate(places) if place == 0]

    found = begins_of_runs(np.array(keys, int))

    assert found.tolist() == begins
    assert lengths_of_runs(found, len(keys)).tolist() == np.diff([*begins, len(keys)]).tolist()
    assert place_in_run(np.array(keys, int)).tolist() == places
