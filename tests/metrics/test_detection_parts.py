"""What the detection metrics share, each part against a plain loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like.metrics.detection import bits
from mmeval_like.metrics.detection.bits import bytes_for, pack, pack_bytes, to_bytes, unpack_bytes
from mmeval_like.metrics.detection.radix import falling
from mmeval_like.metrics.detection.run_lengths import pixels_of
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


@pytest.mark.parametrize("count", [0, 1, bits._BLOCK, 2 * bits._BLOCK + 1])
def test_planes_are_the_rows_turned(count: int) -> None:
    """Of any rows in any order, also where these fill several blocks."""
    rng = np.random.default_rng(count)
    packed = rng.integers(0, 256, (count, 3), np.uint8)
    order = rng.integers(0, max(count, 1), count)
    assert np.array_equal(bits.to_planes(packed, order), packed[order].T)
    assert np.array_equal(bits.to_planes(packed), packed.T)


@given(st.integers(0, 99), st.integers(1, 20), st.integers(0, 30), st.data())
def test_rows_unlike_a_flag(seed: int, columns: int, count: int, data: st.DataObject) -> None:
    """Those that have another bit in one of the columns, found bit by bit."""
    start = data.draw(st.integers(0, columns - 1))
    chosen = range(start, data.draw(st.integers(start + 1, columns)))
    rng = np.random.default_rng(seed)
    given_bits, flags = rng.random((count, columns)) < 0.9, rng.random(count) < 0.9
    differ = [any(given_bits[row, c] != flags[row] for c in chosen) for row in range(count)]

    planes = bits.to_planes(pack_bytes(given_bits))

    assert bits.any_unlike(planes, chosen, flags).tolist() == np.flatnonzero(differ).tolist()


@given(st.lists(st.integers(0, 3)), st.data())
def test_runs(keys: list[int], data: st.DataObject) -> None:
    """Runs of equal keys: begin, length, and the place of every key in its own."""
    ends = sorted(data.draw(st.lists(st.integers(0, len(keys)), max_size=3)))
    borders = [0, *ends, len(keys)]
    groups = np.diff(borders)
    places: list[int] = []
    in_groups: list[int] = []
    for i, key in enumerate(keys):
        places.append(places[-1] + 1 if i and keys[i - 1] == key else 0)
        in_groups.append(in_groups[-1] + 1 if places[-1] and i not in borders else 0)
    begins = [i for i, place in enumerate(places) if place == 0]

    found = begins_of_runs(np.array(keys, int))

    assert found.tolist() == begins
    assert lengths_of_runs(found, len(keys)).tolist() == np.diff([*begins, len(keys)]).tolist()
    assert place_in_run(np.array(keys, int)).tolist() == places
    assert place_in_run(np.array(keys, int), groups).tolist() == in_groups


@given(st.integers(0, 2**32 - 1))
def test_run_lengths_cover_what_was_encoded(seed: int) -> None:
    """The runs of masks cover their pixels; those that a byte was cut off or changed do not."""
    codec = requires("pycocotools.mask")
    rng = np.random.default_rng(seed)
    masks = [
        rng.random(rng.integers(1, 90, 2)) < rng.choice([0.0, 0.02, 0.5, 1.0])
        for _ in range(int(rng.integers(0, 6)))
    ]
    texts = [codec.encode(np.asfortranarray(mask.astype(np.uint8)))["counts"] for mask in masks]

    assert pixels_of(texts).tolist() == [mask.size for mask in masks]
    for place, (text, mask) in enumerate(zip(texts, masks, strict=True)):
        for bad in (text[:-1], text + b"1", b"\xc3" + text, text + b"\x60"):
            found = pixels_of([*texts[:place], bad, *texts[place + 1 :]]).tolist()
            assert found[place] != mask.size
            assert found[:place] + found[place + 1 :] == [
                other.size for index, other in enumerate(masks) if index != place
            ]
