"""What HmeanIoU takes, and what it refuses."""

import math
import sys
from typing import Any

import numpy as np
import pytest

from mmeval_like import HmeanIoU
from mmeval_like.metrics.text.hmean_iou import compute_hmean

SQUARE = [0, 0, 2, 0, 2, 2, 0, 2]


def test_invalid_polygons_keep_all_their_area() -> None:
    """Both halves of a bow tie count; a polygon without area matches nothing, and still counts."""
    bow_tie = [0, 0, 2, 2, 2, 0, 0, 2]
    left, right = [0, 0, 1, 1, 0, 2], [2, 0, 1, 1, 2, 2]
    line = [0, 0, 1, 1, 2, 2]
    metric = HmeanIoU(match_iou_thr=0.49, pred_score_thrs=0.5)

    assert metric([[bow_tie]], [[1.0]], [[left]], [[False]])[0.5]["recall"] == 1.0
    assert metric([[bow_tie]], [[1.0]], [[right]], [[False]])[0.5]["recall"] == 1.0
    value = metric([[line]], [[1.0]], [[line]], [[False]])[0.5]
    assert value == {"precision": 0.0, "recall": 0.0, "hmean": 0.0}
    assert metric([[line]], [[1.0]], [[bow_tie]], [[True]])[0.5]["precision"] == 0.0


@pytest.mark.parametrize(
    ("predictions", "truths", "recall", "precision"),
    [([], [], 1.0, 1.0), ([SQUARE], [], 1.0, 0.0), ([], [SQUARE], 0.0, 0.0)],
)
def test_images_without_polygons(
    predictions: list[Any], truths: list[Any], recall: float, precision: float
) -> None:
    """Without ground truths recall is 1; without predictions precision is 0, or 1 without both."""
    value = HmeanIoU()([predictions], [[1.0] * len(predictions)], [truths], [[False] * len(truths)])

    assert (value["best"]["recall"], value["best"]["precision"]) == (recall, precision)


def test_polygons_as_points() -> None:
    """A polygon may be rows of points, closed or not, in either direction."""
    points = np.array(SQUARE).reshape(4, 2)
    closed = np.concatenate([points, points[:1]])
    for polygon in (points, closed, points[::-1], points.astype(np.float32)):
        value = HmeanIoU()([[polygon]], [[1.0]], [[SQUARE]], [[False]])
        assert value["best"]["hmean"] == 1.0


def test_without_shapely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without shapely the metric is not built, and the error says what to install."""
    monkeypatch.setitem(sys.modules, "shapely", None)
    with pytest.raises(ImportError, match=r"pip install 'mmeval-like\[detection\]'"):
        HmeanIoU()


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"strategy": "greedy"}, ValueError, "strategy must be one of .* got 'greedy'"),
        ({"match_iou_thr": 50}, ValueError, r"match_iou_thr must be a number in \[0, 1\], got 50"),
        ({"ignore_precision_thr": math.nan}, ValueError, "ignore_precision_thr must be"),
        ({"pred_score_thrs": []}, ValueError, "pred_score_thrs must not be empty"),
        ({"pred_score_thrs": [0.5, None]}, ValueError, "different numbers"),
        ({"pred_score_thrs": [0.5, 0.5]}, ValueError, "different numbers"),
        ({"pred_score_thrs": "0.5"}, TypeError, "pred_score_thrs must be numbers"),
        ({"pred_score_thrs": {"start": 0.3}}, ValueError, "keys 'start', 'stop' and 'step'"),
        ({"pred_score_thrs": {"start": 0, "stop": 1, "step": 0}}, ValueError, "step above 0"),
        ({"pred_score_thrs": {"start": 1, "stop": 0, "step": 1}}, ValueError, "not be empty"),
        ({"pred_score_thrs": {"start": 0.9, "stop": 0.85, "step": 0.1}}, ValueError, "be empty"),
        ({"pred_score_thrs": {"start": 0, "stop": math.inf, "step": 1}}, ValueError, "finite"),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception], text: str) -> None:
    """What cannot be meant is refused when the metric is built."""
    with pytest.raises(error, match=text):
        HmeanIoU(**options)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ((1, []), ValueError, "batch_pred_polygons and batch_pred_scores .* got 1 and 0"),
        ((3, []), ValueError, "batch_pred_polygons and batch_gt_ignore_flags .* got 1 and 0"),
        ((1, [[0.5, 0.5]]), ValueError, r"batch_pred_scores must have shape \(1,\)"),
        ((3, [[]]), ValueError, r"batch_gt_ignore_flags must have shape \(1,\)"),
        ((1, [[math.nan]]), ValueError, "batch_pred_scores must not contain nan"),
        ((1, [["a"]]), TypeError, "batch_pred_scores must be numeric, got 'a'"),
        ((0, [[[0, 0, 1, 1]]]), ValueError, r"batch_pred_polygons\[0\] must be at least 3 points"),
        ((2, [[[0, 0, 1, 1, 2, 2, 3]]]), ValueError, r"batch_gt_polygons\[0\] .* shape \(7,\)"),
        ((2, [[np.zeros((2, 4))]]), ValueError, r"shape \(2, 4\)"),
        ((0, [[[0, 0, 1, 0, 1, math.inf]]]), ValueError, r"must not contain nan or infinity"),
        ((0, [[["a"] * 6]]), TypeError, r"batch_pred_polygons\[0\] must be numeric"),
    ],
)
def test_bad_input(change: tuple[int, Any], error: type[Exception], text: str) -> None:
    """Input that cannot be meant is refused, and nothing of the batch is kept."""
    batch: list[Any] = [[[SQUARE]], [[0.9]], [[SQUARE]], [[False]]]
    metric = HmeanIoU()
    metric.add(*batch)
    batch[change[0]] = change[1]
    with pytest.raises(error, match=text):
        metric.add(*batch)

    assert metric.compute()["best"]["hmean"] == 1.0


def test_compute_hmean_refuses_negative_counts() -> None:
    """A negative count is an error."""
    with pytest.raises(ValueError, match="must not be negative, got 1, 1, -1 and 1"):
        compute_hmean(1, 1, -1, 1)
