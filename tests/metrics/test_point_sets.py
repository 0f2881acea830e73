"""ProcrustesDisparity, MeanPerJointPositionError and ObjectKeypointSimilarity against scipy."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import MeanPerJointPositionError, ObjectKeypointSimilarity, ProcrustesDisparity
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples

SIGMAS = (0.03, 0.1, 0.06)


def points(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Sets of five points, some turned and mirrored, others far apart."""
    truths = rng.normal(size=(n, 5, 3)) * rng.choice([1e-3, 1, 1e4], (n, 1, 1))
    turns = np.stack([np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(n)])
    noise = rng.normal(size=truths.shape) * rng.choice([0, 0.1, 1], (n, 1, 1))
    return truths @ turns * 3 + noise + rng.normal(size=(n, 1, 3)), truths


def poses(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """The same with visible joints, of some poses none."""
    visible = (rng.random((n, 5)) < 0.9) & (rng.random((n, 1)) < 0.9)
    return *points(rng, n), visible


def persons(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Joints near the true ones, areas, and what is visible."""
    truths = rng.random((n, 3, 2)) * 100
    visible = rng.integers(0, 3, (n, 3)) * rng.integers(0, 2, (n, 1))
    return truths + rng.normal(0, 5, truths.shape), truths, rng.random(n) * 9000 + 1, visible


def mean(key: str, values: list[float]) -> dict[str, float]:
    """Of what is not nan."""
    known = [value for value in values if not math.isnan(value)]
    return {key: sum(known) / len(known) if known else math.nan}


def disparity(predictions: Any, truths: Any) -> dict[str, float]:
    """By scipy."""
    procrustes = requires("scipy.spatial").procrustes
    pairs = zip(predictions, truths, strict=True)
    return mean("procrustes", [float(procrustes(t, p)[2]) for p, t in pairs])


def distances(
    predictions: Any, truths: Any, visible: Any = None, alignment: str | None = None
) -> dict[str, float]:
    """Norms; poses are turned by scipy's rotations."""
    values = []
    masks = np.ones(truths.shape[:2], bool) if visible is None else visible
    for prediction, truth, mask in zip(predictions, truths, masks, strict=True):
        if not mask.any():
            continue
        p, t = prediction[mask], truth[mask]
        if alignment == "root":
            p, t = p - prediction[0], t - truth[0]
        if alignment == "procrustes":
            a, b = p - p.mean(axis=0), t - t.mean(axis=0)
            if len(a) > 1:
                turn = requires("scipy.spatial.transform").Rotation.align_vectors(b, a)[0]
                a = turn.apply(a)
                a *= (a * b).sum() / (a * a).sum()
            p, t = a, b
        values.append(float(np.linalg.norm(p - t, axis=1).mean()))
    return mean("p_mpjpe" if alignment == "procrustes" else "mpjpe", values)


def oks(predictions: Any, truths: Any, areas: Any, visible: Any) -> dict[str, float]:
    """Joint by joint."""
    values = []
    for p, t, area, seen in zip(predictions, truths, areas, visible, strict=True):
        near = [
            math.exp(-(math.dist(a, b) ** 2) / (2 * area * (2 * sigma) ** 2))
            for a, b, sigma, one in zip(p, t, SIGMAS, seen, strict=True)
            if one
        ]
        values.append(sum(near) / len(near) if near else math.nan)
    return mean("oks", values)


CASES = {
    "ProcrustesDisparity": MetricCase(ProcrustesDisparity, points, disparity, tolerance=1e-9),
    "MeanPerJointPositionError": MetricCase(MeanPerJointPositionError, poses, distances),
    "ObjectKeypointSimilarity": MetricCase(
        partial(ObjectKeypointSimilarity, sigmas=SIGMAS), persons, oks
    ),
}
VARIANTS = {
    "root": MetricCase(
        partial(MeanPerJointPositionError, alignment="root"), points,
        partial(distances, alignment="root"),
    ),
    "procrustes": MetricCase(
        partial(MeanPerJointPositionError, alignment="procrustes"), points,
        partial(distances, alignment="procrustes"), tolerance=1e-6,
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*is undefined for:RuntimeWarning")
@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals what scipy and loops say, and keeps every law."""
    requires("scipy")
    check_metric((CASES | VARIANTS)[name], examples=examples(3))


def test_hidden_joints_turn_nothing() -> None:
    """The alignment is that of the visible joints alone; one joint is laid on its own."""
    truth, found, _ = poses(np.random.default_rng(0), 3)
    visible = np.array([[1, 1, 1, 1, 0], [1, 0, 0, 0, 0], [0, 0, 1, 1, 1]], bool)
    metric = MeanPerJointPositionError(alignment="procrustes")

    values = metric.per_sample(found, truth, visible)["p_mpjpe"]

    for value, p, t, mask in zip(values, found, truth, visible, strict=True):
        alone = metric(p[None, mask], t[None, mask])["p_mpjpe"]
        assert value == pytest.approx(alone, rel=1e-9, abs=1e-12)
    assert values[1] == 0.0


@pytest.mark.parametrize("step", [1e-9, 1e-6, 1e-3, 0.01])
def test_disparities_of_near_shapes_keep_their_digits(step: float) -> None:
    """Small distances that remain are not the rounding error of a difference from 1."""
    requires("scipy")
    from scipy.spatial import procrustes

    rng = np.random.default_rng(2)
    truth = rng.normal(size=(6, 3))
    found = truth @ np.linalg.qr(rng.normal(size=(3, 3)))[0] + step * rng.normal(size=(6, 3))
    expected = pytest.approx(procrustes(found, truth)[2], rel=1e-6, abs=0)
    assert ProcrustesDisparity()([found], [truth])["procrustes"] == expected


def test_equal_points_have_no_shape() -> None:
    """They are left out; sets of different sizes come in lists; sizes of any magnitude."""
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    metric = ProcrustesDisparity()
    metric.add([np.zeros((3, 2)), square * 1e99], [np.ones((3, 2)), square * 1e-99])
    with pytest.warns(RuntimeWarning, match="undefined for 1 of 2"):
        assert metric.compute()["procrustes"] == pytest.approx(0.0, abs=1e-12)


@given(st.integers(1, 40), st.floats(-1e3, 1e3))
def test_rounding_gives_equal_points_no_shape(count: int, place: float) -> None:
    """Nor a scale: laid on others, they lie on the mean of these."""
    rng = np.random.default_rng(count)
    equal, truth = np.full((1, count, 3), place), rng.normal(size=(1, count, 3))
    for pair in ((equal, truth), (truth, equal)):
        assert np.isnan(ProcrustesDisparity().per_sample(*pair)["procrustes"]).all()
    apart = np.linalg.norm(truth - truth.mean(axis=1, keepdims=True), axis=2).mean()
    found = MeanPerJointPositionError("procrustes")(equal, truth)["p_mpjpe"]
    assert found == pytest.approx(apart, abs=1e-12)


def test_bad_inputs() -> None:
    """Shapes, areas, options."""
    good = np.zeros((2, 3, 2))
    for metric, batch, text in (
        (ProcrustesDisparity(), (good, np.zeros((2, 4, 2))), "same shape"),
        (ProcrustesDisparity(), (good[0], good[0]), r"shape \(M, D\)"),
        (ProcrustesDisparity(), (good + 1e101, good), "within 1e100"),
        (MeanPerJointPositionError(), (good, good, np.ones((2, 2))), "visible must have shape"),
        (MeanPerJointPositionError(), (good, good, np.full((2, 3), np.nan)), "visible must not"),
        (ObjectKeypointSimilarity(SIGMAS), (good[:1], good[:1], 9.0), r"areas must have shape"),
        (ObjectKeypointSimilarity(SIGMAS), (good, good, [1, 0]), "areas must be positive"),
        (ObjectKeypointSimilarity(SIGMAS), (good, good[:, :2], [1, 1]), "groundtruths must have"),
    ):
        with pytest.raises(ValueError, match=text):
            metric.add(*batch)
    with pytest.raises(ValueError, match="alignment"):
        MeanPerJointPositionError("rigid")
    with pytest.raises(ValueError, match="sigmas"):
        ObjectKeypointSimilarity([])
