"""KeypointNME against a loop over joints."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import KeypointNME
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.poses import check_nothing_visible, check_refusals, distances, poses


def by_item(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """The mean of all distances over the entry "box"."""
    found = distances(predictions, groundtruths, lambda truth, i: (*truth["box"][i],) * 2)
    return {"NME": np.mean([distance for _, distance in found])}


def by_joints(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """The mean of all distances over that of the joints 8 and 9."""

    def norm(truth: Any, instance: int) -> tuple[float, float]:
        return (math.dist(truth["coords"][instance, 8], truth["coords"][instance, 9]),) * 2

    found = distances(predictions, groundtruths, norm)
    return {"NME": np.mean([distance for _, distance in found])}


def use_item(**options: Any) -> KeypointNME:
    """The metric with an entry as norm."""
    return KeypointNME("use_norm_item", "box", **options)


def use_joints(**options: Any) -> KeypointNME:
    """The metric with the distance of two joints of COFW as norm."""
    return KeypointNME("keypoint_distance", dataset_meta={"dataset_name": "cofw"}, **options)


EMPTY = {"NME": math.nan}
CASES = {
    "KeypointNME": MetricCase(use_item, poses(6, 2), by_item, empty=EMPTY, array_inputs=False),
}
VARIANTS = {
    "KeypointNME by joints": MetricCase(
        use_joints, poses(10), by_joints, empty=EMPTY, array_inputs=False
    ),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals the loop and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


def test_norm_of_zero() -> None:
    """An instance whose norm is 0 is left out."""
    predictions, truths = poses(2)(np.random.default_rng(0), 2)
    truths[0]["box"] = np.zeros((1, 1))
    metric = KeypointNME("use_norm_item", "box")

    assert metric(predictions, truths) == metric(predictions[1:], truths[1:])
    assert math.isnan(metric(predictions[:1], truths[:1])["NME"])


def test_bad_inputs() -> None:
    """What are no keypoints with a norm is refused."""
    check_refusals(use_item())
    (prediction,), (truth,) = poses(6)(np.random.default_rng(0), 1)
    with pytest.raises(KeyError, match="'face'"):
        KeypointNME("use_norm_item", "face").add([prediction], [truth])
    with pytest.raises(ValueError, match="negative"):
        use_item().add([prediction], [truth | {"box": [[-1.0]]}])
    with pytest.raises(ValueError, match="6 joints"):
        use_joints().add([prediction], [truth])


@pytest.mark.parametrize(
    ("arguments", "meta", "text"),
    [
        (("by_eye",), None, "norm_mode"),
        (("use_norm_item",), None, "norm_item="),
        (("keypoint_distance",), None, "keypoint_indices must be given"),
        (("keypoint_distance",), {"dataset_name": "mine"}, "'mine'"),
        (("keypoint_distance", None, (1, 1)), None, "two different"),
        (("keypoint_distance", None, (1, 2, 3)), None, "two different"),
        (("keypoint_distance", None, (-1, 2)), None, "two different"),
        (("keypoint_distance", None, (0, 3)), {"keypoint_id2name": {0: "a", 1: "b"}}, "among"),
    ],
)
def test_bad_options(arguments: tuple[Any, ...], meta: Any, text: str) -> None:
    """Norms that mean nothing are refused at once."""
    with pytest.raises(ValueError, match=text):
        KeypointNME(*arguments, dataset_meta=meta)


def test_known_joints() -> None:
    """Two joints that the dataset's facts know are accepted."""
    meta = {"keypoint_id2name": {0: "left", 1: "right"}}

    metric = KeypointNME("keypoint_distance", keypoint_indices=[0, 1], dataset_meta=meta)
    assert metric.keypoint_indices == (0, 1)


def test_nothing_visible() -> None:
    """Without visible joints the error is unknown, not 0."""
    check_nothing_visible(use_item())


@pytest.mark.parametrize("count", [2, 3])
def test_norms_without_an_axis_for_the_instance(count: int) -> None:
    """Norms (M,) of several instances are refused: two might be one pair of width and height."""
    predictions, truths = poses(2, 1)(np.random.default_rng(0), 1)
    predicted, truth = predictions[0], truths[0]
    several = {key: np.repeat(value[:1], count, axis=0) for key, value in truth.items()}
    prediction = {"coords": np.repeat(predicted["coords"][:1], count, axis=0)}
    flat = several | {"box": np.arange(1.0, count + 1)}
    with pytest.raises(ValueError, match=rf"box must have shape \({count}, 1\)"):
        use_item().add([prediction], [flat])
    column = use_item()([prediction], [flat | {"box": flat["box"][:, None]}])

    assert column == pytest.approx(by_item([prediction], [flat | {"box": flat["box"][:, None]}]))


def test_norms_of_one_width_are_those_of_several():
    """Norms of an instance or of its axes, alone or mixed in a batch: the same numbers."""
    rng = np.random.default_rng(3)
    counts = (1, 3, 0, 2)
    found = [{"coords": rng.random((count, 4, 2))} for count in counts]
    truths = [
        {"coords": rng.random((n, 4, 2)), "mask": np.ones((n, 4)), "box": rng.random((n, 1)) + 1}
        for n in counts
    ]
    wide = [truth | {"box": np.repeat(truth["box"], 2, axis=1)} for truth in truths]
    expected = use_item()(found, truths)
    assert use_item()(found, wide) == expected
    assert use_item()(found, [*truths[:2], *wide[2:]]) == expected
