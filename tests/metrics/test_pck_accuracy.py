"""The PCK metrics against loops over joints."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import JhmdbPCKAccuracy, MpiiPCKAccuracy, PCKAccuracy
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.poses import (
    SIZES,
    check_nothing_visible,
    check_refusals,
    distances,
    joint_shares,
    poses,
)

NAMES = {"bbox": "PCK", "head": "PCKh", "torso": "tPCK"}


def by(item: str) -> Callable[[Any, int], Any]:
    """The size of an instance that distances are divided by."""
    return lambda truth, instance: truth[f"{item}_size"][instance]


def oracle(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """The mean share over joints for all norms, at the threshold 0.3."""
    values = {}
    for item, name in NAMES.items():
        found = [*distances(predictions, groundtruths, by(item))]
        values[f"{name}@0.3"] = np.nanmean(joint_shares(found, 0.3, 5))
    return values


def mpii(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """MPII's values, as its protocol lists them."""
    found = [*distances(predictions, groundtruths, by("head"), shift=1.0)]
    share = np.array(joint_shares(found, 0.5, 16)) * 100
    counts = np.bincount([joint for joint, _ in found], minlength=16) * 1.0
    counts[[6, 7]] = 0
    near = np.array(joint_shares(found, 0.1, 16)) * 100
    parts = {"Head": [9], "Shoulder": [12, 13], "Elbow": [11, 14], "Wrist": [10, 15]}
    parts |= {"Hip": [2, 3], "Knee": [1, 4], "Ankle": [0, 5]}
    return {name: np.nanmean(share[joints]) for name, joints in parts.items()} | {
        "PCKh": np.nansum(share * counts) / counts.sum(),
        "PCKh@0.1": np.nansum(near * counts) / counts.sum(),
    }


def jhmdb(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """JHMDB's values for all norms, as its protocol lists them."""
    parts = {"Head": [2], "Sho": [3, 4], "Elb": [7, 8], "Wri": [11, 12]}
    parts |= {"Hip": [5, 6], "Knee": [9, 10], "Ank": [13, 14]}
    values = {}
    for item, name in NAMES.items():
        found = [*distances(predictions, groundtruths, by(item))]
        share = np.array(joint_shares(found, 0.5, 15))
        if item != "torso":
            values[f"{name}@0.5"] = np.nanmean(share)
        if item != "head":
            values |= {f"{part} {name}": np.nanmean(share[j]) for part, j in parts.items()}
            values[f"Mean {name}"] = np.nanmean(share)
    return values


def make(**options: Any) -> PCKAccuracy:
    """The metric with all norms."""
    return PCKAccuracy(0.3, SIZES, **options)


def make_jhmdb(**options: Any) -> JhmdbPCKAccuracy:
    """The metric with all norms."""
    return JhmdbPCKAccuracy(norm_item=SIZES, **options)


EMPTY = {"PCK@0.3": math.nan, "PCKh@0.3": math.nan, "tPCK@0.3": math.nan}
CASES = {
    "PCKAccuracy": MetricCase(
        make, poses(5, 3), oracle, 1e-14, empty=EMPTY, array_inputs=False, least=2
    ),
    "MpiiPCKAccuracy": MetricCase(
        MpiiPCKAccuracy, poses(16), mpii, 1e-14, array_inputs=False, least=4
    ),
    "JhmdbPCKAccuracy": MetricCase(
        make_jhmdb, poses(15), jhmdb, 1e-14, array_inputs=False, least=4
    ),
}


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals the loop over joints and keeps every law."""
    check_metric(CASES[name], examples=examples(4))


def test_dicts_of_tensors() -> None:
    """The entries of samples may be arrays of another library."""
    torch = requires("torch")
    predictions, truths = poses(5)(np.random.default_rng(0), 4)

    def convert(samples: Any) -> Any:
        return [{key: torch.from_numpy(entry) for key, entry in s.items()} for s in samples]

    assert PCKAccuracy()(convert(predictions), convert(truths)) == PCKAccuracy()(
        predictions, truths
    )


def test_threshold_is_strict() -> None:
    """A distance equal to the threshold is too far."""
    truth = {"coords": [[0, 0]], "mask": [1], "bbox_size": [10, 10]}

    assert PCKAccuracy(thr=0.5)([{"coords": [[5, 0]]}], [truth]) == {"PCK@0.5": 0.0}
    assert PCKAccuracy(thr=0.5)([{"coords": [[4.99, 0]]}], [truth]) == {"PCK@0.5": 1.0}


def test_mpii_with_other_norms() -> None:
    """Without the head, MPII is plain PCK of the coordinates as they are."""
    predictions, truths = poses(16)(np.random.default_rng(0), 9)
    plain = PCKAccuracy(0.5, ("bbox", "torso"))(predictions, truths)

    assert MpiiPCKAccuracy(norm_item=["bbox", "torso"])(predictions, truths) == plain


@pytest.mark.parametrize(
    ("metric", "joint", "part"),
    [(MpiiPCKAccuracy(), 12, "Shoulder"), (JhmdbPCKAccuracy(), 3, "Sho PCK")],
)
def test_a_joint_that_is_never_visible(metric: Any, joint: int, part: str) -> None:
    """It is left out of its pair's mean, which is the other joint's share."""
    count = metric.num_joints
    predictions, truths = poses(count)(np.random.default_rng(1), 3)
    for prediction, truth in zip(predictions, truths, strict=True):
        prediction["coords"] = truth["coords"] - metric.shift("head") * (count == 16)
        truth["mask"][:] = True
        truth["mask"][:, joint] = False
        truth["head_size"] = truth["bbox_size"]

    assert metric(predictions, truths)[part] == (100.0 if count == 16 else 1.0)


@pytest.mark.parametrize("kind", [PCKAccuracy, MpiiPCKAccuracy, JhmdbPCKAccuracy])
def test_bad_inputs(kind: Any) -> None:
    """What are no keypoints with sizes is refused, as are bad options."""
    joints = kind.num_joints or 16
    check_refusals(kind(norm_item="bbox"), joints)
    (prediction,), (truth,) = poses(joints)(np.random.default_rng(0), 1)
    for size, error in (
        ([[-1, 1]], ValueError),
        ([[math.nan, 1]], ValueError),
        ([1, 2, 3], ValueError),
    ):
        with pytest.raises(error, match="bbox_size"):
            kind(norm_item="bbox").add([prediction], [truth | {"bbox_size": size}])
    del truth["bbox_size"]
    with pytest.raises(KeyError, match="bbox_size"):
        kind(norm_item="bbox").add([prediction], [truth])
    for norm_item in ("hand", [], ["bbox", "hand"]):
        with pytest.raises(ValueError, match="norm_item"):
            kind(norm_item=norm_item)
    with pytest.raises(ValueError, match="thr"):
        kind(thr=0)


def test_number_of_joints() -> None:
    """All samples of a batch have the same joints; MPII and JHMDB have theirs."""
    five, six = poses(5)(np.random.default_rng(0), 1), poses(6)(np.random.default_rng(0), 1)
    with pytest.raises(ValueError, match="5 joints, got 6"):
        PCKAccuracy().add(five[0] + six[0], five[1] + six[1])
    with pytest.raises(ValueError, match="16 joints, got 5"):
        MpiiPCKAccuracy().add(*five)
    with pytest.raises(ValueError, match="15 joints, got 6"):
        JhmdbPCKAccuracy().add(*six)


@pytest.mark.parametrize("kind", [PCKAccuracy, MpiiPCKAccuracy, JhmdbPCKAccuracy])
def test_nothing_visible(kind: Any) -> None:
    """Without visible joints nothing is known."""
    check_nothing_visible(kind(), kind.num_joints or 16)


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.parametrize(
    ("make", "joints", "size"),
    [
        (mm.PCKAccuracy, 15, "bbox_size"),
        (mm.JhmdbPCKAccuracy, 15, "torso_size"),
        (mm.MpiiPCKAccuracy, 16, "head_size"),
        (mm.MpiiPCKAccuracy, 16, "bbox_size"),
        (mm.KeypointAUC, 15, None),
    ],
)
def test_shares_and_percentages_have_their_ranges(make: Any, joints: int, size: str | None) -> None:
    """Of nearly perfect poses no interval ends above 1 or 100; a gate knows the scale."""
    rng, count = np.random.default_rng(0), 40
    coords = rng.normal(0, 1, (count, 1, joints, 2))
    coords[0] = 100.0
    options = {"norm_item": size.removesuffix("_size")} if size else {}
    metric = make(interval=0.99, **options)
    truth = {"coords": np.zeros((1, joints, 2)), "mask": np.ones((1, joints))}
    truth |= {size: [[20.0, 20.0]]} if size else {}
    metric.add([{"coords": one} for one in coords], [truth] * count, ids=range(count))
    values = metric.compute()
    for key, one in metric.intervals.items():
        most = 100.0 if make is mm.MpiiPCKAccuracy and size == "head_size" else 1.0
        assert 0.5 * most < values[key] < most
        assert 0.0 <= one.low < one.value < one.high <= most
        with pytest.raises(ValueError, match="at_least must lie in"):
            mm.gate(metric, key, at_least=1.5 * most)
