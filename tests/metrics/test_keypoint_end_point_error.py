"""KeypointEndPointError against a loop over joints."""

import math
from typing import Any

import numpy as np

from mmeval_like import KeypointEndPointError
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.poses import check_nothing_visible, check_refusals, distances, poses


def oracle(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """The mean of all distances."""
    found = distances(predictions, groundtruths, lambda truth, instance: (1, 1))
    return {"EPE": np.mean([distance for _, distance in found])}


CASES = {
    "KeypointEndPointError": MetricCase(
        KeypointEndPointError, poses(6, 2), oracle, empty={"EPE": math.nan}, array_inputs=False
    ),
}


def test_laws() -> None:
    """The metric equals the loop and keeps every law."""
    check_metric(CASES["KeypointEndPointError"], examples=examples(4))


def test_bad_inputs() -> None:
    """What are no keypoints is refused."""
    check_refusals(KeypointEndPointError())


def test_nothing_visible() -> None:
    """Without visible joints the error is unknown, not 0."""
    check_nothing_visible(KeypointEndPointError())
