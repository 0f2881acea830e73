"""Perplexity: how surprised a language model is, per token."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.image import samples
from mmeval_like.metrics.language_models.bits_per_byte import check_log_likelihoods
from mmeval_like.writing import (
    NOT_NEGATIVE,
    BaseMetric,
    MetricOptions,
    Results,
    Unpack,
    arrays,
    state,
    warn,
)
from mmeval_like.writing.exact import exp

__all__ = ["Perplexity"]

# The number of logits that are processed at once: 2 MiB in float64.
_BLOCK = 1 << 18


class Perplexity(BaseMetric):
    """Perplexity: the exponential of a language model's mean loss per token.

    The mean is taken over all T tokens that count; s_t are the logits at token t, whose softmax
    gives the probabilities of all words, and y_t is the target. Perplexities of models with
    different tokenizers cannot be compared: see `BitsPerByte`. Large gaps between logits do not
    overflow.

    Formula:
        ppl = exp(-1/T sum_t ln(softmax(s_t)_(y_t)))

    Args:
        ignore_labels: One or several targets that do not count, for instance that of padding.
        **options: As for `BaseMetric`.

    Returns of `compute`: `perplexity`, at least 1; nan if no tokens count. Lower is better.

    Raises:
        TypeError: `ignore_labels` are not integers.

    Example:
        >>> import numpy as np
        >>> metric = Perplexity(ignore_labels=-100)
        >>> metric.add(np.zeros((1, 3, 4)), [[0, 3, -100]])  # 4 equally likely words
        >>> round(metric.compute()["perplexity"], 12)
        4.0
        >>> Perplexity()(log_likelihoods=[[-1.0, -3.0], [-2.0]])  # e^2
        {'perplexity': 7.38905609893065}
    """

    processor_dependent = "log and exp"
    every_rank_computes = True
    loss = state.sum()
    tokens = state.sum(int)
    truth_inputs: ClassVar[tuple[str, ...]] = ()  # every model has its own tokens, and padding
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(
        self, ignore_labels: int | Sequence[int] | None = None, **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        several = () if ignore_labels is None else ignore_labels
        self._looked: set[str] = set()
        self.ignore_labels = np.atleast_1d(arrays.as_integers(several, "ignore_labels"))

    def rows(
        self, predictions: Any = None, targets: Any = None, log_likelihoods: Any = None
    ) -> dict[str, np.ndarray]:
        """Return the summed loss and the number of tokens of every sequence.

        Args:
            predictions: Logits (B, T, V), or a sequence of arrays (T, V), for B texts, T tokens and
                V words, of any real dtype. Minus infinity means a word of probability 0.
            targets: The indices of the right words, (B, T) or a sequence of arrays (T,): integers
                in [0, V), or `ignore_labels`.
            log_likelihoods: Instead of predictions: the natural logarithms of the tokens'
                probabilities, (B, T) or a sequence of (T,), at most 0. Targets then only say which
                tokens do not count, and may be left out.

        Raises:
            TypeError: Targets are not integers, or neither predictions nor log-likelihoods are
                given.
            ValueError: Lengths differ, shapes do not fit, or a target is out of range; at tokens
                that count, logits are nan, infinite or all impossible, or a log-likelihood is nan
                or above 0.
        """
        if log_likelihoods is not None:
            if predictions is not None:
                raise TypeError("log_likelihoods must not be given together with predictions")
            return self._of_log_likelihoods(log_likelihoods, targets)
        if predictions is None or targets is None:
            raise TypeError("predictions and targets must be given, or log_likelihoods")
        logits, words = samples(predictions, "predictions"), samples(targets, "targets")
        arrays.check_same_length("predictions", logits, "targets", words)
        losses, tokens = np.zeros(len(logits)), np.zeros(len(logits), np.int64)
        for index, (table, targets) in enumerate(zip(logits, words, strict=True)):
            targets = arrays.as_integers(targets, "targets")
            if table.ndim != 2 or targets.shape != table.shape[:1]:
                raise ValueError(
                    f"predictions and targets must have shapes (B, T, V) and (B, T), got a "
                    f"sequence of {table.shape} and {targets.shape}"
                )
            if table.size and not self._looked:
                self._looked.add("probabilities")  # checking every text would cost time
                _warn_if_probabilities(table)
            counted = np.flatnonzero(~np.isin(targets, self.ignore_labels))
            arrays.check_range("targets", targets[counted], table.shape[1], "", "ignore_labels")
            losses[index] = arrays.sum_rows(_losses(table, targets, counted)[None]).item()
            tokens[index] = len(counted)
        return {"loss": losses, "tokens": tokens}

    def _of_log_likelihoods(self, log_likelihoods: Any, targets: Any) -> dict[str, np.ndarray]:
        """Return the summed loss and the number of tokens from log-likelihoods."""
        known = arrays.to_samples(log_likelihoods, "log_likelihoods")
        words = None if targets is None else arrays.to_samples(targets, "targets")
        if words is not None:
            arrays.check_same_length("log_likelihoods", known, "targets", words)
        losses, tokens = np.zeros(len(known)), np.zeros(len(known), np.int64)
        for index, entry in enumerate(known):
            values = arrays.as_floats(entry, "log_likelihoods")
            if values.ndim != 1:
                raise ValueError(
                    f"log_likelihoods must have shape (B, T), got a sequence of {values.shape}"
                )
            if words is not None:
                own = arrays.as_integers(words[index], "targets")
                if own.shape != values.shape:
                    raise ValueError(
                        f"log_likelihoods and targets must have the same shape, got "
                        f"{values.shape} and {own.shape} at index {index}"
                    )
                values = values[~np.isin(own, self.ignore_labels)]
            losses[index] = arrays.sum_rows(-check_log_likelihoods(values)[None]).item()
            tokens[index] = len(values)
        return {"loss": losses, "tokens": tokens}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `perplexity`."""
        if not results.tokens:
            return {"perplexity": math.nan}
        if not math.isfinite(results.loss):
            return {"perplexity": results.loss}
        loss = Fraction(results.exact("loss"))  # type: ignore[arg-type]  # a sum of one number
        return {"perplexity": exp(loss / results.tokens)}


def _warn_if_probabilities(table: np.ndarray) -> None:
    """Warn if each row of a table (T, V) of logits is a distribution."""
    if table.shape[1] > 1 and (table >= 0).all():
        sums = table.sum(axis=1, dtype=np.float64)
        if (np.abs(sums - 1) <= 0.01).all():  # float16 keeps 3 digits
            warn(
                "predictions are probabilities, and Perplexity takes their softmax: pass the "
                "logits, or the logarithms of the probabilities",
                UserWarning,
            )


def _losses(logits: np.ndarray, targets: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return -log softmax(logits)[target] of the tokens that count."""
    losses = np.empty(len(counted))
    step = max(1, _BLOCK // max(1, logits.shape[1]))
    for start in range(0, len(counted), step):
        which = counted[start : start + step]
        shifted = logits[which].astype(np.float64)
        largest = shifted.max(axis=1)
        arrays.check_finite("the largest logits of predictions", largest)
        shifted -= largest[:, None]
        own = shifted[np.arange(len(which)), targets[which]]
        # The array is contiguous: only then does exp not depend on an element's position.
        sums = arrays.sum_rows(np.exp(shifted)).tolist()
        losses[start : start + step] = [math.log(total) for total in sums] - own
    return losses
