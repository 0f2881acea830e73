"""KeypointAUC against a loop over thresholds and joints."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import KeypointAUC
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.poses import (
    check_nothing_visible,
    check_refusals,
    distances,
    joint_shares,
    poses,
)


def oracle(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """The mean over 20 thresholds of the mean over joints."""
    found = [*distances(predictions, groundtruths, lambda truth, instance: (30, 30))]
    return {"AUC@20": np.mean([np.nanmean(joint_shares(found, i / 20, 6)) for i in range(20)])}


CASES = {
    "KeypointAUC": MetricCase(
        KeypointAUC, poses(6, 2), oracle, 1e-14, empty={"AUC@20": math.nan}, array_inputs=False
    ),
}


def test_laws() -> None:
    """The metric equals the loop and keeps every law."""
    check_metric(CASES["KeypointAUC"], examples=examples(4))


def test_bad_inputs() -> None:
    """What are no keypoints is refused, as are bad options."""
    check_refusals(KeypointAUC())
    with pytest.raises(ValueError, match="norm_factor"):
        KeypointAUC(norm_factor=0)
    with pytest.raises(ValueError, match="num_thrs"):
        KeypointAUC(num_thrs=0)


def test_nothing_visible() -> None:
    """Without visible joints nothing is known."""
    check_nothing_visible(KeypointAUC())
