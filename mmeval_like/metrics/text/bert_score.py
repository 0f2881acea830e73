"""BERTScore: the similarity of the token embeddings of two texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.writing import CORRELATION, Results, SampleMean, arrays

__all__ = ["BERTScore"]

_KEYS = ("precision", "recall", "f1")


@shared_options
class BERTScore(SampleMean):
    """How similar texts are in meaning: precision, recall and F1 of their tokens' embeddings.

    The score of a token is the highest cosine similarity between its embedding and those of the
    other text's tokens. The precision P of a pair of texts is the mean over the prediction's tokens
    p_i, and the recall R is the mean over the reference's tokens r_j. Means may be weighted, for
    instance by inverse document frequencies. Source: T. Zhang et al., "BERTScore: evaluating text
    generation with BERT" (ICLR 2020). The metric runs no model, and does not rescale values with a
    baseline, which the original program offers as an option.

    If P and R have opposite signs, their harmonic mean is unbounded: one such pair could dominate
    the mean. These pairs count in `precision` and `recall`, and are left out of `f1`.

    `add` takes `predictions` and `references`, N arrays (T, D) each, `prediction_weights` and
    `reference_weights`, N arrays (T,) each, and `sample_weight` (N,).

    Formula:
        precision = mean P
        recall = mean R
        f1 = mean 2 P R / (P + R)
        P = mean_i max_j cos(p_i, r_j)
        R = mean_j max_i cos(p_i, r_j)

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `precision`, `recall` and `f1`, in [-1, 1]; nan without samples. Samples
    with a text without tokens, or whose weights are all 0, are left out. A warning says how many
    samples are left out of one value or of all. Higher is better.

    Example:
        >>> import numpy as np
        >>> metric = BERTScore()
        >>> metric.add([np.array([[1.0, 0.0], [0.0, 1.0]])], [np.array([[2.0, 0.0]])])
        >>> metric.compute()  # (1 + 0) / 2; 1
        {'precision': 0.5, 'recall': 1.0, 'f1': 0.6666666666666666}
    """

    processor_dependent = "BLAS"
    key = "f1"
    outputs = len(_KEYS)
    leaves_out_nan = True
    truth_inputs: ClassVar[tuple[str, ...]] = ()  # embeddings may differ in the last bits
    ranges = CORRELATION
    higher_is_better = True

    def scores(
        self,
        predictions: Any,
        references: Any,
        prediction_weights: Any = None,
        reference_weights: Any = None,
    ) -> np.ndarray:
        """Return precision, recall and F1 of each pair of texts.

        Args:
            predictions: N arrays (T, D) of any real dtype with the embeddings of the predictions'
                tokens; T may differ.
            references: N embeddings (T, D) of the references, each with the D of its prediction.
            prediction_weights: N arrays (T,) of numbers >= 0, one for each token; None: all 1.
            reference_weights: The same for the tokens of the references.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The numbers of texts differ, shapes do not fit, a value is nan or infinite,
                or a weight is negative.
        """
        sides = {"prediction": predictions, "reference": references}
        vectors = {
            name: arrays.listed(texts, f"{name}s", "a list of embeddings")
            for name, texts in sides.items()
        }
        arrays.check_same_length(
            "predictions", vectors["prediction"], "references", vectors["reference"]
        )
        given = {"prediction": prediction_weights, "reference": reference_weights}
        weights = {name: _weights(given[name], vectors[name], name) for name in sides}
        found = np.full((len(vectors["prediction"]), len(_KEYS)), np.nan)
        for place in range(len(found)):
            p, r = (_unit(vectors[name][place], f"{name}s[{place}]") for name in sides)
            if p.shape[1] != r.shape[1]:
                raise ValueError(
                    f"predictions[{place}] and references[{place}] must have embeddings of the "
                    f"same size, got {p.shape} and {r.shape}"
                )
            own, other = (weights[name][place] for name in sides)
            if own.sum() > 0 and other.sum() > 0:
                alike = np.clip(p @ r.T, -1.0, 1.0)
                precision = _mean(alike.max(axis=1), own)
                recall = _mean(alike.max(axis=0), other)
                found[place] = precision, recall, _harmonic_mean(precision, recall)
        return found

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `precision`, `recall` and `f1`."""
        return dict(zip(_KEYS, self.mean(results), strict=True))


def _harmonic_mean(precision: float, recall: float) -> float:
    """Return the harmonic mean of two numbers; nan if their signs differ, where it is unbounded."""
    if min(precision, recall) < 0 < max(precision, recall):
        return math.nan
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


def _unit(embeddings: Any, name: str) -> np.ndarray:
    """Return float64 embeddings (T, D) scaled to length 1; zeros remain zeros."""
    vectors = np.ascontiguousarray(arrays.as_floats(embeddings, name), np.float64)
    if vectors.ndim != 2:
        raise ValueError(f"{name} must have shape (T, D), got {vectors.shape}")
    arrays.check_finite(name, vectors)
    # A power of two brings the largest entry near 1, exactly.
    most = np.abs(vectors).max(axis=1, initial=0.0)
    scaled = np.ldexp(vectors, -np.frexp(most)[1][:, None])
    norms = np.sqrt(arrays.sum_rows(np.square(scaled)))
    unit: np.ndarray = scaled / np.where(norms == 0, 1.0, norms)[:, None]
    return unit


def _weights(given: Any, vectors: Sequence[Any], side: str) -> list[np.ndarray]:
    """Return the weights of every text's tokens."""
    if given is None:
        return [np.ones(len(tokens)) for tokens in vectors]
    name = f"{side}_weights"
    several = arrays.listed(given, name, "a list of weights")
    arrays.check_same_length(name, several, f"{side}s", vectors)
    checked = []
    for place, tokens in enumerate(vectors):
        here = f"{name}[{place}]"
        weights = arrays.as_floats(several[place], here)
        if weights.shape != (len(tokens),):
            wanted = f"{here} must have a number for each of {len(tokens)} tokens"
            raise ValueError(f"{wanted}, got shape {weights.shape}")
        arrays.check_finite(here, weights)
        arrays.require(here, weights, weights >= 0, "must not be negative")
        checked.append(weights.astype(np.float64))
    return checked


def _mean(values: np.ndarray, weights: np.ndarray) -> float:
    sums = arrays.sum_rows(np.stack([values * weights, weights]))
    return float(sums[0] / sums[1])
