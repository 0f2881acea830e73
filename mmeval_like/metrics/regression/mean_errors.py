"""MeanErrors: means over samples of a function of the differences of pixels or numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.image import (
    check_data_range,
    in_batches,
    samples,
)
from mmeval_like.metrics._common.number_inputs import MULTIOUTPUT, check_option, read_pair
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.writing import (
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Unpack,
    arrays,
    ratio,
    state,
    warn,
)
from mmeval_like.writing.weights import weighted

__all__ = ["MeanErrors"]

_WHITE = 255.0  # the range of the pixels of 8-bit images


@shared_options
class MeanErrors(BaseMetric):
    """The base class of `MeanAbsoluteError` and `MeanSquaredError`.

    Args:
        data_range: The number by which differences are divided. None: 255 if a sample is an image,
            that is if it has at least two axes, and 1 if it is a number or a vector.
        num_outputs: For "raw_values": the number D of outputs, that is of numbers in each sample; 1
            for inputs (N,).
        multioutput: "uniform_average": a sample's value is the mean over its numbers. "raw_values":
            the result is a list with one value for each output; samples must then not be images.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: `data_range` is not positive and finite, `num_outputs` is below 1, or
            `multioutput` is unknown.
    """

    every_rank_computes = True
    on_accelerator = True

    key: ClassVar[str]
    power: ClassVar[int]
    """The power of the labels' unit in an error."""

    def __init__(
        self,
        data_range: float | None = None,
        *,
        num_outputs: int = 1,
        multioutput: str = "uniform_average",
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self._looked: set[str] = set()
        self.data_range = None if data_range is None else check_data_range(data_range)
        self.num_outputs = check_count("num_outputs", num_outputs)
        self.multioutput = check_option("multioutput", multioutput, MULTIOUTPUT)

    @abstractmethod
    def error(self, difference: np.ndarray) -> np.ndarray:
        """Return the errors of differences, element by element; may overwrite `difference`."""

    def states(self) -> dict[str, State]:
        """Return the sums of scores and weights, and the number of images where it is needed."""
        if self.multioutput == "raw_values":
            return {"score": state.sum(float, (self.num_outputs,)), "weight": state.sum()}
        sums = {"score": state.sum(), "weight": state.sum()}
        return sums | ({"images": state.sum(int)} if self.data_range is None else {})

    def rows(
        self, predictions: Any, groundtruths: Any, masks: Any = None, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return one score per sample.

        Args:
            predictions: Images, (N, H, W), (N, H, W, C) or a sequence of (H, W[, C]); or numbers
                (N,) or vectors (N, D). Any real dtype.
            groundtruths: The same shapes.
            masks: Weights >= 0, one (H, W), (H, W, 1) or (H, W, C) per image.
            sample_weight: A weight >= 0 per sample, (N,).

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The numbers of samples differ, shapes do not fit, a sample is empty, a mask
                is negative, or a weight is not allowed; or images are mixed with vectors while
                `data_range` is None.
        """
        if self.multioutput == "raw_values":
            if masks is not None:
                raise ValueError('masks apply to images, not to multioutput="raw_values"')
            pair = read_pair(predictions, groundtruths, self.num_outputs)
            errors = self.error(pair[0] - pair[1]) / self._unit(self.data_range or 1.0)
            return weighted(errors, sample_weight)
        scores, images = self._mean_errors(predictions, groundtruths, masks)
        data_range = self.data_range
        if data_range is None:
            if len(images) > 1:
                raise ValueError(f"predictions {_MIXED}")
            data_range = _WHITE if images == {True} else 1.0
            if images == {True} and not self._looked:
                self._look_at(groundtruths)
        unit = self._unit(data_range)
        rows = weighted(scores if unit == 1 else scores / unit, sample_weight)
        if not self.data_range:
            rows["images"] = (np.ones if True in images else np.zeros)(len(scores), np.bool_)
        return rows

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return rows of samples, not images, with a given error."""
        error = self.score_of(fill, self.key)
        if error is None or fill == "best":  # there is no worst one
            return None
        shape = (count, self.num_outputs) if self.multioutput == "raw_values" else (count,)
        rows = weighted(np.full(shape, error), inputs.get("sample_weight"))
        blank = {name: np.zeros(count, np.bool_) for name in self.states()}
        return {**blank, **rows}

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the mean, or the mean of each output."""
        if self.multioutput == "raw_values":
            return {self.key: [ratio(score, results.weight) for score in results.score.tolist()]}
        if self.data_range is None and results.images not in (0, len(results)):
            text = f"got {results.images} images in {len(results)} samples"
            raise ValueError(f"predictions {_MIXED}, {text}")
        return {self.key: ratio(results.score, results.weight)}

    def _unit(self, data_range: float) -> float:
        return data_range if self.power == 1 else data_range * data_range

    def _look_at(self, groundtruths: Any) -> None:
        """Warn once if images are floats, whose range is unknown."""
        column = samples(groundtruths, "groundtruths")
        self._looked.add("range")
        if column[0].dtype.kind == "f":
            warn(
                f"samples with at least two axes are treated as images, and errors were divided by "
                f"255{' squared' if self.power == 2 else ''}: pass data_range=1 for errors in the "
                f"unit of the numbers, or data_range=255 for images",
                UserWarning,
            )

    def _mean_errors(
        self, predictions: Any, groundtruths: Any, masks: Any
    ) -> tuple[np.ndarray, set[bool]]:
        """Return each sample's mean error, and the set of whether samples are images.

        With masks, a mean is sum(mask * error) / sum(mask), or 0 if the mask is empty. A mask with
        one channel, or without an axis of channels, is repeated over channels.
        """
        scores: list[np.ndarray] = []
        images: set[bool] = set()
        inputs = {"predictions": predictions, "groundtruths": groundtruths}
        for prediction, truth, mask in in_batches(inputs, {"masks": masks}):
            if prediction.size == 0:
                raise ValueError(f"predictions must not be empty, got shape {prediction.shape[1:]}")
            images.add(prediction.ndim > 2)
            errors = self.error(prediction - truth)
            if mask is None:
                if errors.ndim > 1 or errors.dtype.kind != "f":
                    errors = arrays.sum_rows(errors) / (errors.size // len(errors))
                scores.append(errors)
                continue
            arrays.check_not_negative("masks", mask)
            if mask.ndim == errors.ndim - 1:
                mask = mask[..., None]
            try:
                mask = np.broadcast_to(mask, errors.shape)
            except ValueError:
                raise ValueError(
                    f"masks must fit the images' shape {errors.shape[1:]}, got {mask.shape[1:]}"
                ) from None
            total = arrays.sum_rows(mask)
            masked = arrays.sum_rows(errors * mask)
            filled = total != 0
            scores.append(np.where(filled, masked / np.where(filled, total, 1), 0.0))
        return scores[0] if len(scores) == 1 else np.concatenate([np.zeros(0), *scores]), images


_MIXED = (
    "must be images for all samples, or numbers or vectors for all: set the unit of errors with "
    "data_range="
)
