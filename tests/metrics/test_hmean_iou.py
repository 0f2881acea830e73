"""HmeanIoU against shapely one pair at a time, and what it promises on its own."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import HmeanIoU
from mmeval_like.metrics.text import matched_pairs
from mmeval_like.metrics.text.hmean_iou import compute_hmean
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples

THRS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SQUARE = [0, 0, 2, 0, 2, 2, 0, 2]
FAR = [9, 9, 11, 9, 11, 11, 9, 11]


def quads(rng: np.random.Generator, count: int) -> np.ndarray:
    """Quadrangles on a small grid, so that many overlap; some invalid, some without area."""
    corners = rng.integers(0, 4, (count, 2)).repeat(4, 0).reshape(count, 4, 2)
    shape = np.array([[0, 0], [3, 0], [3, 3], [0, 3]])
    return (corners + shape + rng.integers(-1, 2, (count, 4, 2))).reshape(count, 8).astype(float)


def ragged_samples(rng: np.random.Generator, n: int) -> tuple[list[Any], ...]:
    """Images with none to six predictions and ground truths; scores on a grid, so that many tie."""
    own, others = rng.integers(0, 7, n), rng.integers(0, 7, n)
    return (
        [list(quads(rng, count)) for count in own],
        [rng.integers(2, 11, count) / 10 for count in own],
        [[polygon.tolist() for polygon in quads(rng, count)] for count in others],
        [(rng.random(count) < 0.3).tolist() for count in others],
    )


def dense_samples(rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
    """Images with five predictions and four ground truths each, as arrays."""
    return (
        quads(rng, 5 * n).reshape(n, 5, 8),
        (rng.integers(2, 11, (n, 5)) / 10).astype(np.float32),
        quads(rng, 4 * n).reshape(n, 4, 8),
        rng.random((n, 4)) < 0.3,
    )


def valid(flat: Any) -> Any:
    """One polygon, repaired."""
    shapely = requires("shapely")
    polygon = shapely.Polygon(np.reshape(flat, (-1, 2)))
    return polygon if polygon.is_valid else shapely.make_valid(polygon).buffer(0)


def iou(first: Any, second: Any) -> float:
    """Intersection over union of one pair, by shapely's own union.

    On the grid of these samples a quotient that is so near to a half is a half.
    """
    union = first.union(second).area
    return round(first.intersection(second).area / union, 9) if union else 0.0


def share(first: Any, second: Any) -> float:
    """The share of the first that lies in the second, rounded as `iou` is."""
    return round(first.intersection(second).area / first.area, 9)


def icdar_pairs(matches: list[list[bool]]) -> int:
    """Ground truth by ground truth, the first free prediction."""
    free = set(range(len(matches)))
    hits = 0
    for column in range(len(matches[0]) if matches else 0):
        for row in sorted(free):
            if matches[row][column]:
                free.remove(row)
                hits += 1
                break
    return hits


def most_pairs(matches: list[list[bool]]) -> int:
    """Scipy's maximum matching."""
    if not matches or not matches[0]:
        return 0
    graph = requires("scipy").sparse.csr_matrix(np.array(matches, int))
    matching = requires("scipy.sparse.csgraph").maximum_bipartite_matching
    return int((matching(graph, perm_type="column") >= 0).sum())


def expected(
    polygons: Any, scores: Any, truths: Any, flags: Any, strategy: str = "vanilla"
) -> dict[Any, dict[str, float]]:
    """The definition, pair by pair and threshold by threshold."""
    totals = {thr: [0, 0, 0] for thr in THRS}  # hits, predictions, ground truths
    for image in zip(polygons, scores, truths, flags, strict=True):
        own, others = [valid(p) for p in image[0]], [valid(p) for p in image[2]]
        ignored = [t for t, flag in zip(others, image[3], strict=True) if flag]
        wanted = [t for t, flag in zip(others, image[3], strict=True) if not flag]
        for thr, total in totals.items():
            kept = [
                p
                for p, score in zip(own, image[1], strict=True)
                if round(float(score), 6) >= thr
                and not any(p.area and share(p, t) > 0.5 for t in ignored)
            ]
            matches = [[iou(p, t) > 0.5 for t in wanted] for p in kept]
            total[0] += icdar_pairs(matches) if strategy == "vanilla" else most_pairs(matches)
            total[1] += len(kept)
            total[2] += len(wanted)
    values: dict[Any, dict[str, float]] = {}
    for thr, (hits, predicted, wanted_count) in totals.items():
        recall = hits / wanted_count if wanted_count else 1.0
        precision = hits / predicted if predicted else float(not wanted_count)
        hmean = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
        values[thr] = {"precision": precision, "recall": recall, "hmean": hmean}
    values["best"] = max(values.values(), key=lambda entry: entry["hmean"])
    return values


def make_max(**options: Any) -> HmeanIoU:
    """The metric with the other strategy."""
    return HmeanIoU(strategy="max_matching", **options)


NOTHING = dict.fromkeys(("precision", "recall", "hmean"), math.nan)
CASES = {
    "HmeanIoU": MetricCase(
        HmeanIoU,
        dense_samples,
        expected,
        tolerance=0,
        empty=dict.fromkeys((*THRS, "best"), NOTHING),
        most=8,
    ),
}
VARIANTS = CASES | {
    "lists": MetricCase(
        HmeanIoU, ragged_samples, expected, tolerance=0, array_inputs=False, most=8
    ),
    "max_matching": MetricCase(
        make_max,
        ragged_samples,
        lambda *data: expected(*data, strategy="max_matching"),
        tolerance=0,
        array_inputs=False,
        most=8,
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_laws(name: str) -> None:
    """HmeanIoU equals shapely pair by pair, to the bit, and keeps every law of a metric."""
    check_metric(VARIANTS[name], examples=examples(4))


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
def test_array_libraries(library: str) -> None:
    """Polygons, scores and flags may be arrays of any library: the same bits."""
    requires(library)
    check_metric(
        CASES["HmeanIoU"], examples=examples(2), libraries=[library], only=["array_libraries"]
    )


def test_by_hand() -> None:
    """Two predictions on one of two ground truths, an unrelated one, one on an ignored."""
    shifted = [0, 0, 2, 0, 2, 1.5, 0, 1.5]
    ignored = [20, 20, 22, 20, 22, 22, 20, 22]
    metric = HmeanIoU(pred_score_thrs=[0.5, 0.8])
    metric.add(
        [[SQUARE, shifted, FAR, ignored]],
        [[0.6, 0.9, 0.7, 0.9]],
        [[SQUARE, [5, 5, 6, 5, 6, 6, 5, 6], ignored]],
        [[False, False, True]],
    )

    assert metric.compute() == {
        0.5: {"precision": 1 / 3, "recall": 1 / 2, "hmean": 0.4},
        0.8: {"precision": 1.0, "recall": 1 / 2, "hmean": 2 / 3},
        "best": {"precision": 1.0, "recall": 1 / 2, "hmean": 2 / 3},
    }


def test_bounds_are_strict() -> None:
    """An IoU of exactly the threshold is no match, a cover of exactly the share does not ignore."""
    half = [0, 0, 2, 0, 2, 1, 0, 1]
    entry = HmeanIoU(0.5)([[half]], [[1.0]], [[SQUARE]], [[False]])["best"]
    assert entry["recall"] == 0.0
    assert HmeanIoU(0.49)([[half]], [[1.0]], [[SQUARE]], [[False]])["best"]["recall"] == 1.0

    for share, precision in ((0.5, 0.0), (0.49, 1.0)):  # 1 without ground truth or prediction
        metric = HmeanIoU(ignore_precision_thr=share)
        assert metric([[SQUARE]], [[1.0]], [[half]], [[True]])["best"]["precision"] == precision


def test_ignored_ground_truths_are_never_found() -> None:
    """A prediction that an ignored ground truth does not cover enough is wrong, not a hit."""
    most = [0, 0, 2, 0, 2, 1.8, 0, 1.8]
    metric = HmeanIoU(ignore_precision_thr=0.95)

    entry = metric([[SQUARE]], [[1.0]], [[most, FAR]], [[True, False]])["best"]
    assert entry == {"precision": 0.0, "recall": 0.0, "hmean": 0.0}


def test_strategies_differ_where_the_first_choice_blocks() -> None:
    """First come takes one pair where two are possible; max_matching finds both."""
    wide, narrow = [0, 0, 10, 0, 10, 10, 0, 10], [0, 0, 8, 0, 8, 10, 0, 10]
    very_narrow = [0, 0, 6, 0, 6, 10, 0, 10]
    # The first prediction matches both ground truths, the second only the first of them.
    batch = [[narrow, very_narrow]], [[1.0, 1.0]], [[narrow, wide]], [[False, False]]

    assert HmeanIoU(0.65)(*batch)["best"]["hmean"] == 0.5
    assert make_max(match_iou_thr=0.65)(*batch)["best"]["hmean"] == 1.0


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=5))
def test_most_pairs_is_the_maximum(matches: list[list[bool]]) -> None:
    """The matching is as large as the best of all assignments, tried one by one."""
    table = np.array(matches)
    best = 0
    for columns in itertools.permutations(range(5), len(matches)):  # column 4: no partner
        best = max(best, sum(c < 4 and row[c] for row, c in zip(matches, columns, strict=True)))

    size = matched_pairs.most_pairs([np.flatnonzero(row).tolist() for row in table])
    assert size >= best
    assert size == most_pairs(matches)


@pytest.mark.parametrize("size", [300, 2000])
def test_most_pairs_follows_long_paths(size: int) -> None:
    """A path through all of them needs no recursion."""
    # Each likes its own and the next; the last likes only the first, and everyone must move.
    candidates = [[i, i + 1] for i in range(size - 1)]

    assert matched_pairs.most_pairs([*candidates, [0]]) == size


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("thr", THRS)
def test_score_at_the_threshold_counts(thr: float, dtype: type) -> None:
    """A score of 0.7 passes the threshold 0.7, in every float type; the next lower does not."""
    metric = HmeanIoU(pred_score_thrs=thr)
    score = dtype(thr)

    assert metric([[SQUARE]], [np.array([score])], [[SQUARE]], [[False]])[thr]["hmean"] == 1.0
    below = np.nextafter(score, dtype(0))
    assert metric([[SQUARE]], [np.array([below])], [[SQUARE]], [[False]])[thr]["hmean"] == 0.0


@pytest.mark.parametrize(
    ("thrs", "keys"),
    [
        ({"start": 0.3, "stop": 0.9, "step": 0.1}, THRS),
        ({"start": 0.3, "stop": 0.85, "step": 0.1}, THRS[:-1]),
        ({"start": 0.05, "stop": 0.35, "step": 0.15}, (0.05, 0.2, 0.35)),
        ({"start": 0.5, "stop": 0.5, "step": 0.1}, (0.5,)),
        ({"start": np.float64(0.1), "stop": 1, "step": 0.3}, (0.1, 0.4, 0.7, 1.0)),
        (0.7, (0.7,)),
        ([0.7, 0.2], (0.7, 0.2)),
        (np.array([0.25, 0.5]), (0.25, 0.5)),
    ],
)
def test_thresholds_are_clean(thrs: Any, keys: tuple[float, ...]) -> None:
    """The keys are the floats that a person writes: 0.6, in all rows of start, stop and step."""
    value = HmeanIoU(pred_score_thrs=thrs)([[SQUARE]], [[1.0]], [[SQUARE]], [[False]])

    assert list(value) == [*keys, "best"]
    assert all(type(key) is float for key in list(value)[:-1])


def test_best_of_equal_is_the_first() -> None:
    """Of thresholds with equal hmean the first is the best."""
    # at 0.5: 1 of 2 predictions, 1 of 1; at 0.9: none
    value = HmeanIoU(pred_score_thrs=(0.9, 0.5, 0.4))(
        [[SQUARE, FAR]], [[0.6, 0.7]], [[SQUARE]], [[False]]
    )
    assert value["best"] == value[0.5] == value[0.4] != value[0.9]
    assert value["best"] is not value[0.5]


@pytest.mark.parametrize(
    ("counts", "result"),
    [
        ((3, 3, 4, 6), (0.75, 0.5, 0.6)),
        ((0, 0, 4, 6), (0.0, 0.0, 0.0)),
        ((0, 0, 0, 0), (1.0, 1.0, 1.0)),
        ((0, 0, 0, 2), (1.0, 0.0, 0.0)),
        ((0, 0, 2, 0), (0.0, 0.0, 0.0)),
        ((1, 2, 4, 4), (0.25, 0.5, 1 / 3)),
    ],
)
def test_compute_hmean(counts: tuple[int, ...], result: tuple[float, ...]) -> None:
    """Recall, precision and harmonic mean of counts, the degenerate ones as documented."""
    assert compute_hmean(*counts) == pytest.approx(result)
