"""ClDice: whether thin structures, such as vessels and roads, are found without gaps."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from mmeval_like.metrics.segmentation.class_maps import ClassMeanMetric
from mmeval_like.writing import arrays, needed_for, ratio

__all__ = ["ClDice"]


class ClDice(ClassMeanMetric):
    """clDice: whether thin structures, such as vessels, are found without gaps.

    P is the predicted mask of a class and T the true one, S_P and S_T are their skeletons, and a
    size is a number of pixels. Precision is the share of the prediction's skeleton that lies in the
    true mask, and recall the share of the true skeleton that lies in the predicted mask. The value
    is the mean over images of their harmonic mean. A class that is in neither map of an image is
    left out of the image's mean; a class that is in only one of them has the value 0.

    Formula:
        clDice = mean 2 / (1 / precision + 1 / recall)
        precision = size(S_P and T) / size(S_P)
        recall = size(S_T and P) / size(S_T)

    Source: S. Shit et al., "clDice - a novel topology-preserving loss function for tubular
    structure segmentation" (CVPR 2021). `add` takes `predictions` and `groundtruths`, maps of
    classes (N, H, W) or masks of all classes (N, C, H, W).

    Args:
        num_classes: The number of classes C.
        skeletonize: A function of a mask, a bool array of 2 or 3 axes, that returns the mask of its
            skeleton; None: the function of scikit-image.
        include_background: Whether class 0 counts.
        **options: As for `ClassMeanMetric`.

    Returns of `compute`: `cl_dice`, or `cl_dice_classwise`, in [0, 1]; nan without samples. Higher
    is better.

    Raises:
        ModuleNotFoundError: scikit-image is not installed, and `skeletonize` is None.
        TypeError: `skeletonize` is not a function.
        ValueError: In `add`: `skeletonize` returned something other than a mask of the same shape.

    Example:
        >>> import numpy as np
        >>> truth = np.zeros((1, 5, 9), int)
        >>> truth[:, 1:4] = 1                # a tube of three rows: its middle is the skeleton
        >>> prediction = truth.copy()
        >>> prediction[:, :, 4:] = 0         # the end of it is not found
        >>> def middle(mask):
        ...     return mask & (np.arange(5) == 2)[:, None]
        >>> round(ClDice(num_classes=2, skeletonize=middle)(prediction, truth)["cl_dice"], 4)
        0.6154
    """

    key = "cl_dice"

    def __init__(
        self,
        num_classes: int,
        *,
        skeletonize: Callable[[np.ndarray], np.ndarray] | None = None,
        include_background: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(num_classes, include_background=include_background, **options)
        if skeletonize is None:
            with needed_for(type(self).__name__, "pip install 'mmeval-like[image]'"):
                importlib.import_module("skimage.morphology")
        elif not callable(skeletonize):
            raise TypeError(f"skeletonize must be a function or None, got {skeletonize!r}")
        self.skeletonize = skeletonize

    def class_values(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return the harmonic mean of every class."""
        values = []
        for pair in self.maps.pairs(predictions, groundtruths):
            values += [self._value(*masks) for masks in zip(*self.maps.masks(*pair), strict=True)]
        return np.reshape(np.array(values, np.float64), (-1, len(self.maps.counted)))

    def _value(self, found: np.ndarray, truth: np.ndarray) -> float:
        if not (found.any() and truth.any()):
            return 0.0 if found.any() or truth.any() else np.nan
        line, true_line = self._skeleton(found), self._skeleton(truth)
        right, reached = (int(np.count_nonzero(both)) for both in (line & truth, true_line & found))
        size, true_size = (int(np.count_nonzero(skeleton)) for skeleton in (line, true_line))
        return ratio(2 * right * reached, right * true_size + reached * size, 0.0)

    def _skeleton(self, mask: np.ndarray) -> np.ndarray:
        if self.skeletonize is None:
            from skimage.morphology import skeletonize

            return np.asarray(skeletonize(mask), np.bool_)
        line = np.asarray(self.skeletonize(mask))
        if line.shape != mask.shape or line.dtype != np.bool_:
            raise ValueError(
                f"skeletonize must return masks, bool {mask.shape}, got {arrays.describe(line)}"
            )
        return line
