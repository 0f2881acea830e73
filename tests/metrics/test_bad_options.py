"""Options that cannot be meant are refused where a metric is constructed, by name."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers import requires
from tests.metric_cases import CASES

COUNTS = {"bins", "num_classes", "num_clusters", "num_groups", "num_outputs", "num_thrs", "top_k",
          "window"}  # fmt: skip
NO_COUNTS = [0, -1, 2.5, math.nan, math.inf, True, "2", [2], np.array([2, 2]), 1 << 70]
NO_SIZES = [-1, 2.5, math.nan, math.inf, True, "2", [2]]
NO_LABELS = [2.5, math.nan, "2", [2], object()]


def _options() -> dict[str, tuple[str, str, list[Any]]]:
    """Every class's options of these kinds: the name of a case, the option, and bad values."""
    found: dict[str, tuple[str, str, list[Any]]] = {}
    for name, case in CASES.items():
        made = type(case.make(dist_backend="non_dist"))
        if not made.__module__.startswith("mmeval_like."):
            continue
        for option, parameter in inspect.signature(made).parameters.items():
            bad = NO_COUNTS if option in COUNTS else NO_LABELS if option == "ignore_index" else []
            bad = NO_SIZES if option == "crop_border" else bad
            if "Sequence" in str(parameter.annotation):
                bad = [value for value in bad if not isinstance(value, list)]
            if bad:
                found.setdefault(f"{made.__name__}({option})", (name, option, bad))
    return found


OPTIONS = _options()


@pytest.mark.parametrize("key", OPTIONS)
def test_counts_and_labels_are_integers(key: str) -> None:
    """No metric takes 2.5 classes, nor ignores the label "2", nor waits for 2^70 of anything."""
    name, option, values = OPTIONS[key]
    for value in values:
        with pytest.raises((TypeError, ValueError), match=option):
            CASES[name].make(**{option: value})


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: mm.GradientError(sigma=0.01), r"sigma must be in \[0.03, 39.9\)"),
        (lambda: mm.SumAbsoluteDifferences(norm_const=math.inf), "norm_const must be positive"),
        (lambda: mm.MeanSquaredError(data_range=1e300), "data_range must be in"),
        (lambda: mm.PeakSignalNoiseRatio(data_range=1e-300), "data_range must be in"),
        (lambda: mm.MeanIoU(2, beta=math.nan), "beta must be positive"),
        (lambda: mm.MeanIoU(2, nan_to_num="0"), "nan_to_num must be a number or None"),
        (lambda: mm.F1Score(3, cared_classes=[0.5]), "cared_classes must be in"),
        (
            lambda: mm.DOTAMeanAP(num_classes=1, use_legacy_coordinate=True),  # type: ignore[call-arg]
            "takes no use_legacy_coordinate",
        ),
        (lambda: mm.LogLoss(eps="small"), r"\(in LogLoss\(eps='small'\)\)"),
    ],
)
def test_what_cannot_be_meant_is_named(make: Any, text: str) -> None:
    """An error names the option, or else the call that it is about."""
    with pytest.raises((TypeError, ValueError), match=text):
        make()


def test_polygons_of_extreme_size() -> None:
    """What shapely cannot compute with is an error of the arguments."""
    one, other = np.array([2, 2, -1, 1, 0, -2]), np.array([-1, 3, 2, 1, 3, 0])
    metric = mm.HmeanIoU()

    for scale, text in (
        (1e-150, "batch_pred_polygons and batch_gt_polygons must have a size"),
        (1e150, r"batch_pred_polygons\[0\] must be within 1e\+100"),
    ):
        with pytest.raises(ValueError, match=text):
            metric.add([[one * scale]], [[0.9]], [[other * scale]], [[False]])
    assert metric._samples().stores()[0].count == 0


def test_arrays_of_bfloat16() -> None:
    """A numpy array of the extension dtype is read as float32, as one of JAX or torch is."""
    bfloat16 = requires("ml_dtypes").bfloat16
    scores = np.array([[0.25, 0.75], [0.5, 0.125]], bfloat16)

    assert mm.Accuracy()(scores, [1, 1]) == {"top1": 0.5}
    assert mm.Mean()([*scores[0]]) == {"mean": 0.5}


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn"])
def test_arrays_of_float8(dtype: str) -> None:
    """Floats of 8 bits are not taken for 8-bit pixels, whose fractions are cut off."""
    image = np.array([[[0.5, 0.25], [0.75, 0.0]]]).astype(getattr(requires("ml_dtypes"), dtype))
    black = np.zeros((1, 2, 2))

    assert mm.MeanAbsoluteError(1.0)(image, black) == {"mae": 0.375}
    assert mm.EndPointError()(image[..., None, :], black[..., None, :])["EPE"] > 0.6
    assert mm.Accuracy()(image[0], [0, 1]) == {"top1": 0.5}


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn"])
def test_tensors_of_float8(dtype: str) -> None:
    """A tensor of torch, which numpy cannot read, is float32, as an array of this dtype is."""
    torch = requires("torch")
    scores = torch.tensor([[0.25, 0.75], [0.5, 0.125]]).to(getattr(torch, dtype))

    assert mm.Accuracy()(scores, [1, 1]) == {"top1": 0.5}
    assert mm.Mean()(scores[0]) == {"mean": 0.5}


def test_sparse_tensors() -> None:
    """The error names the argument: torch's own does not."""
    torch = requires("torch")
    with pytest.raises(TypeError, match=r"labels cannot be read as an array: .*to_dense"):
        mm.Accuracy().add([0, 1], torch.tensor([0, 1]).to_sparse())
