"""SampleMean and RatioOfSums: the bases of metrics that are one score, or one ratio, per sample."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from mmeval_like import arrays, state
from mmeval_like._base.warning import warn
from mmeval_like._core.metric import BaseMetric
from mmeval_like._states.results import Results
from mmeval_like._states.statistic import Jackknife
from mmeval_like.state import State
from mmeval_like.writing.quotients import ratio
from mmeval_like.writing.weights import as_weights, products, weighted, weights_apart

__all__ = ["RatioOfSums", "SampleMean"]


class SampleMean(BaseMetric):
    """The base class of metrics that are a weighted mean of one score per sample.

    A subclass sets `key` and defines `scores`. `add` takes the arguments of `scores`, followed by
    `sample_weight`: finite numbers >= 0, (N,); None: all 1. The value is sum(w * score) / sum(w) of
    exactly rounded sums; nan without samples, or when all weights are 0. A sample of weight 0 does
    not count, even if its score is nan or infinite.

    Example:
        >>> import numpy as np
        >>> from mmeval_like import SampleMean
        >>> class Bias(SampleMean):
        ...     '''The mean difference of predictions and labels.'''
        ...     key = "bias"
        ...     def scores(self, predictions, labels):
        ...         return np.asarray(predictions, float) - np.asarray(labels, float)
        >>> metric = Bias()
        >>> metric.add([1.0, 2.0, 5.0], [1.0, 1.0, 1.0], sample_weight=[1, 2, 0])
        >>> metric.compute()
        {'bias': 0.6666666666666666}
        >>> metric.per_sample([1.0, 2.0], [1.0, 1.0])
        {'bias': array([0., 1.])}
    """

    every_rank_computes = True

    key: str
    """The name of the value in the result."""

    leaves_out_nan: ClassVar[bool] = False
    """Set it when a score is nan where it is undefined (0 / 0): such a sample is then left out of
    the mean, and `compute` warns with the number left out. Otherwise a nan makes the mean nan."""

    outputs: int | None = None
    """The number D of scores per sample, when `scores` returns (n, D); the value is then a list."""

    _takes_inputs: ClassVar[str] = "scores"

    @abstractmethod
    def scores(self, *batch: Any, **named: Any) -> np.ndarray:
        """Return one float64 score per sample, (n,), or `outputs` of them, (n, D).

        All input is checked here: an exception raised here leaves the metric unchanged.
        """

    @property
    def jackknife(self) -> Jackknife:
        """The jackknife of the weighted mean, with a weight for every output."""
        return Jackknife(divisor="weight" if self.leaves_out_nan else None)

    def states(self) -> dict[str, State]:
        """Return the sums of scores and weights, and of samples that are left out."""
        shape = () if self.outputs is None else (self.outputs,)
        sums = {"score": state.sum(float, shape), "weight": state.sum()}
        if self.leaves_out_nan:
            sums |= {"weight": state.sum(float, shape), "undefined": state.sum(int)}
        return sums

    def rows(self, *batch: Any, sample_weight: Any = None, **named: Any) -> dict[str, np.ndarray]:
        """Return every sample's weighted score and its weight.

        Args:
            *batch: The inputs of `scores`, followed by the weights if these are not given by name.
            sample_weight: The weight of each sample, numbers of at least 0 (N,); None: all are 1.
            **named: The inputs of `scores` by name.
        """
        batch, sample_weight = weights_apart(type(self).scores, batch, sample_weight)
        return self._weighted(self.scores(*batch, **named), sample_weight)

    _meaning: ClassVar[tuple[str, ...]] = ("rows", "states", "mean", "compute_metric")
    """The methods by which a subclass may change what a score means, so that it has no range."""

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return rows of samples with a given score, or with the least or the greatest one."""
        if any(getattr(type(self), n) is not getattr(SampleMean, n) for n in self._meaning):
            return None
        score = self.score_of(fill, self.key)
        if score is None:
            return None
        shape = (count,) if self.outputs is None else (count, self.outputs)
        return self._weighted(np.full(shape, score), inputs.get("sample_weight"))

    def _weighted(self, scores: np.ndarray, sample_weight: Any) -> dict[str, np.ndarray]:
        """Return the rows of scores."""
        if not self.leaves_out_nan:
            return weighted(scores, sample_weight)
        undefined = np.isnan(scores)
        if sample_weight is None and scores.ndim == 1 and not undefined.any():
            return weighted(scores, None) | {"undefined": undefined}
        weights = as_weights(sample_weight, len(scores))
        wide = np.where(undefined, 0.0, weights if scores.ndim == 1 else weights[:, None])
        some = undefined if undefined.ndim == 1 else undefined.any(axis=1)
        return {
            "score": products("scores", scores, wide),
            "weight": wide,
            "undefined": some & (weights > 0),
        }

    def per_sample(self, *batch: Any, **named: Any) -> dict[str, Any]:
        """Return every sample's score; see `BaseMetric.per_sample`."""
        if type(self).compute_metric is not SampleMean.compute_metric:
            return super().per_sample(*batch, **named)
        rows = {
            name: arrays.to_host(part, name) for name, part in self._rows_of(batch, named).items()
        }
        weights = rows["weight"]
        if weights.ndim < rows["score"].ndim:
            weights = weights[:, None]
        values = _quotients(rows["score"], weights)
        if not len(values):
            return {}
        return {self.key: values if self.outputs is None else values.tolist()}

    def mean(self, results: Results) -> Any:
        """Return the mean: a float, or with `outputs` a list; warn of samples left out."""
        left_out = results.undefined if self.leaves_out_nan else 0
        if left_out:
            what = self.name if self.outputs is None else f"{self.name}, or a value of it,"
            text = f"{what} is undefined for {left_out} of {len(results)} samples: left out"
            warn(text, RuntimeWarning)
        if self.outputs is None:
            return ratio(results.score, results.weight)
        totals = results.score.tolist()
        weights = np.broadcast_to(results.weight, (self.outputs,)).tolist()
        return [ratio(total, weight) for total, weight in zip(totals, weights, strict=True)]

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the mean under the name `key`."""
        return {self.key: self.mean(results)}


class RatioOfSums(BaseMetric):
    """The base class of metrics that are the quotient of two sums over samples.

    A subclass sets `key` and defines `parts`. Without samples, and wherever the denominator is 0,
    the value is nan. With `dtype = float`, `add` takes `sample_weight` after the inputs of `parts`:
    finite numbers >= 0, (N,), by which both parts are multiplied; None: all 1.

    Example:
        >>> import numpy as np
        >>> from mmeval_like import RatioOfSums
        >>> class WordsPerSentence(RatioOfSums):
        ...     '''The mean number of words of a sentence, over all texts.'''
        ...     key, dtype = "words_per_sentence", int
        ...     def parts(self, texts):
        ...         words = np.array([len(text.split()) for text in texts], int)
        ...         return words, np.array([text.count(".") for text in texts], int)
        >>> WordsPerSentence()(["One. And two.", "This is the third."])
        {'words_per_sentence': 2.3333333333333335}
    """

    every_rank_computes = True

    key: ClassVar[str]
    """The name of the value in the result."""

    dtype: ClassVar[type] = float
    """int: the parts are whole numbers, and samples have no weights. float: exact sums."""

    _takes_inputs: ClassVar[str] = "parts"

    @abstractmethod
    def parts(self, *batch: Any, **named: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the numerator and the denominator of every sample, (n,) each.

        All input is checked here: an exception raised here leaves the metric unchanged.
        """

    def states(self) -> dict[str, State]:
        """Return the two sums."""
        return {"numerator": state.sum(self.dtype), "denominator": state.sum(self.dtype)}

    def rows(self, *batch: Any, sample_weight: Any = None, **named: Any) -> dict[str, np.ndarray]:
        """Return both parts of every sample.

        Args:
            *batch: The inputs of `parts`, followed by the weights if these are not given by name.
            sample_weight: The weight of each sample, numbers of at least 0 (N,), if the metric
                takes weights (`dtype = float`); None: all are 1.
            **named: The inputs of `parts` by name.
        """
        if self.dtype is float:
            batch, sample_weight = weights_apart(type(self).parts, batch, sample_weight)
        numerators, denominators = self.parts(*batch, **named)
        if sample_weight is not None:
            if self.dtype is int:
                raise TypeError(f"{self.name} takes no sample_weight: it counts whole numbers")
            weights = as_weights(sample_weight, len(numerators))
            numerators, denominators = (
                products("parts", part, weights) for part in (numerators, denominators)
            )
        return {"numerator": numerators, "denominator": denominators}

    def per_sample(self, *batch: Any, **named: Any) -> dict[str, Any]:
        """Return every sample's quotient; see `BaseMetric.per_sample`."""
        own = type(self).compute_metric is RatioOfSums.compute_metric
        if not own or self.dtype is int:
            return super().per_sample(*batch, **named)
        rows = self._rows_of(batch, named)
        parts = [arrays.to_host(rows[name], name) for name in ("numerator", "denominator")]
        return {self.key: _quotients(*parts)} if len(parts[0]) else {}

    def quotient(self, results: Results) -> float:
        """Return the sum of numerators divided by that of denominators; nan if the latter is 0."""
        return ratio(results.numerator, results.denominator, math.nan)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the quotient under the name `key`."""
        return {self.key: self.quotient(results)}


def _quotients(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Return the values of single samples: nan for 0 / 0, and like sums never -0.0."""
    values = np.full(numerators.shape, math.nan)
    np.divide(numerators, denominators, out=values, where=denominators != 0)
    values += 0.0
    return values
