"""Names that MMEval deprecated, and still resolves."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

__all__ = ["ALIASES", "resolve"]

ALIASES = {
    "COCODetectionMetric": "COCODetection",
    "F1Metric": "F1Score",
    "MAE": "MeanAbsoluteError",
    "MSE": "MeanSquaredError",
    "MattingMSE": "MattingMeanSquaredError",
    "MultiLabelMetric": "MultiLabelPrecisionRecallF1score",
    "PSNR": "PeakSignalNoiseRatio",
    "SAD": "SumAbsoluteDifferences",
    "SNR": "SignalNoiseRatio",
    "SSIM": "StructuralSimilarity",
    "SingleLabelMetric": "SingleLabelPrecisionRecallF1score",
}


def resolve(module: str, name: str) -> Any:
    """Return the class that a deprecated name stands for, with a DeprecationWarning.

    Args:
        module: The module whose attribute is asked for.
        name: The attribute.

    Raises:
        AttributeError: The name is not one of these.
    """
    if name not in ALIASES:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    warnings.warn(
        f"{name} is deprecated: its name is {ALIASES[name]}", DeprecationWarning, stacklevel=3
    )
    return getattr(importlib.import_module("mmeval_like.metrics"), ALIASES[name])
