"""ConnectivityError: how differently the parts of alpha mattes are connected."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np

from mmeval_like.metrics.segmentation.matting import TrimapMetric, check_norm_const
from mmeval_like.writing import NOT_NEGATIVE, MetricOptions, Unpack, arrays

__all__ = ["ConnectivityError"]

# Smaller gaps between a pixel's alpha and its connection to the source do not count.
_TOLERANCE = 0.15


class ConnectivityError(TrimapMetric):
    """The connectivity error of alpha mattes: the difference in how their parts are connected.

    p_i and y_i are the predicted and the true alpha of pixel i. The source region at a threshold is
    the largest 4-connected region in which both alphas are at least the threshold. Let l be the
    last threshold before a pixel leaves the source region; the connectedness phi of its alpha a is
    1 if a - l < 0.15, otherwise 1 - (a - l). The differences of the connectedness of prediction and
    ground truth are summed over the unknown pixels U of an image and divided by `norm_const`; the
    value is the mean over images.

    Formula:
        error = mean 1/norm sum_(i in U) |phi(p_i) - phi(y_i)|
        phi(a) = 1 - (a - l) [a - l >= 0.15]

    Source: C. Rhemann et al., "A perceptually motivated online benchmark for image matting"
    (CVPR 2009). Needs scipy.

    Args:
        step: The distance between thresholds, in (0, 1].
        norm_const: The number by which sums are divided, so that values have a convenient size.
        **options: As for `BaseMetric`.

    Returns of `compute`: `connectivity_error`. Without samples, the value is nan. Lower is better.

    Raises:
        ImportError: scipy is not installed.
        ValueError: `step` is not in (0, 1], `norm_const` is not positive.

    Example:
        >>> import numpy as np
        >>> truth = np.array([[[1.0, 0.0, 1.0, 1.0]]])
        >>> prediction = np.array([[[1.0, 0.0, 1.0, 0.5]]])
        >>> metric = ConnectivityError(norm_const=1)
        >>> metric.add(prediction, truth, np.full((1, 1, 4), 128))
        >>> metric.compute()
        {'connectivity_error': 0.5}
    """

    key = "connectivity_error"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(
        self, step: float = 0.1, norm_const: float = 1000, **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        if not 0 < step <= 1:
            raise ValueError(f"step must be in (0, 1], got {step}")
        self.step = step
        self.norm_const = check_norm_const(norm_const)
        # 0.1 means the decimal number: a threshold is 0.3, not 3 * 0.1 in binary.
        exact = Fraction(repr(float(step)))
        self._thresholds = [float(index * exact) for index in range(int(1 / exact) + 1)]
        try:
            importlib.import_module("scipy.ndimage")
        except ImportError as error:
            raise ImportError(
                "ConnectivityError needs scipy: pip install 'mmeval-like[image]'"
            ) from error

    def errors(
        self, predictions: np.ndarray, truths: np.ndarray, unknown: np.ndarray
    ) -> Iterator[float]:
        """Yield the errors of images."""
        yield from map(self._error, predictions, truths, unknown)

    def _error(self, prediction: np.ndarray, truth: np.ndarray, unknown: np.ndarray) -> float:
        for name, alpha in (("pred_alphas", prediction), ("gt_alphas", truth)):
            if alpha.size and (alpha.min() < 0 or alpha.max() > 1):
                raise ValueError(
                    f"{name} must be in [0, 1], got {alpha.min():g} to {alpha.max():g}; divide "
                    f"8-bit alphas by 255"
                )
        connected = self._connected_up_to(np.minimum(prediction, truth))
        difference = _connectedness(prediction - connected) - _connectedness(truth - connected)
        errors = np.where(unknown, np.abs(difference), 0.0)
        error: float = arrays.sum_rows(errors[None]).item() / self.norm_const
        return error

    def _connected_up_to(self, common: np.ndarray) -> np.ndarray:
        """Return for every pixel the last threshold before it leaves the source region."""
        from scipy import ndimage

        connected = np.ones(common.shape)
        inside = np.ones(common.shape, bool)
        for before, threshold in pairwise(self._thresholds):
            labels, _ = ndimage.label(common >= threshold)
            sizes = np.bincount(labels.reshape(-1), minlength=2)
            source = labels == 1 + int(sizes[1:].argmax())
            connected[inside & ~source] = before
            inside &= source
        return connected


def _connectedness(distance: np.ndarray) -> np.ndarray:
    return 1 - np.where(distance >= _TOLERANCE, distance, 0.0)
