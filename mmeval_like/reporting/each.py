"""The scores of single samples, for metrics whose value is the mean of such scores."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Each", "Image", "scores_of"]

_TRIED = 40  # samples on which a formula is compared with the metric
_MOST = 2_000  # different samples that are scored one by one
_CLOSE = 1e-9


class Image(str):
    """An image as a data URL that contains it: `data:image/png;base64,...`."""


@dataclass(frozen=True)
class Each:
    """Every sample with its scores.

    Attributes:
        metric: The name of the metric in the result.
        key: The key of the number that is the mean of the scores.
        scores: For each system the score of every sample.
        ids: The ids of the samples.
        texts: For each system, by column, the text or image of every sample.
        places: By column of slices, the slice of every sample.
    """

    metric: str
    key: str
    scores: Sequence[np.ndarray]
    ids: Sequence[Any]
    texts: Sequence[Mapping[str, Sequence[Any]]] = field(default_factory=tuple)
    places: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @property
    def is_hits(self) -> bool:
        """Whether every sample is either right or wrong."""
        return all(bool(np.isin(one, (0.0, 1.0)).all()) for one in self.scores)


def scores_of(
    metric: Any, args: Sequence[Any], named: Mapping[str, Any], wanted: Mapping[str, float]
) -> tuple[str, np.ndarray] | None:
    """Return a key of a metric, and the scores of all samples whose mean is the value of the key.

    Return None if no number of the metric is such a mean, or if too many samples differ.

    Args:
        metric: The metric; it keeps its samples.
        args: All samples, as `add` takes them.
        named: The samples that `add` takes by name.
        wanted: The values of the metric.

    Example:
        >>> from mmeval_like import Accuracy
        >>> key, scores = scores_of(Accuracy(), ([1, 0, 1], [1, 1, 1]), {}, {"top1": 2 / 3})
        >>> key, scores.tolist()
        ('top1', [1.0, 0.0, 1.0])
    """
    columns = {**{str(at): one for at, one in enumerate(args)}, **named}
    count = min(map(len, columns.values()), default=0)
    flat = [_flat(one) for one in columns.values()]
    if not count:
        return None
    known = [one for one in flat if one is not None]
    simple = len(known) == len(flat)

    def asked(places: np.ndarray) -> dict[str, Any]:
        some = [_taken(one, places) for one in args]
        others = {name: _taken(one, places) for name, one in named.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: dict[str, Any] = metric.per_sample(*some, **others)
        return found

    if simple:
        tried = np.unique(np.linspace(0, count - 1, _TRIED).astype(np.int64))
        sure = asked(tried)
        for candidate in _formulas(known):
            for key, value in wanted.items():
                own = _numbers(sure.get(key))
                same = own is not None and np.array_equal(own, candidate[tried])
                if same and _is_mean(candidate, value):
                    return key, candidate
        codes = np.zeros(count, np.int64)
        for one in known:
            own = _codes(one)
            codes = _codes(codes * (int(own.max(initial=0)) + 1) + own)
        firsts = np.unique(codes, return_index=True)[1]
    else:
        codes, firsts = np.arange(count), np.arange(count)
    if len(firsts) > _MOST:
        return None
    every = asked(firsts)
    for key, value in wanted.items():
        scores = _numbers(every.get(key))
        if scores is not None and len(scores) == len(firsts) and _is_mean(scores[codes], value):
            return key, scores[codes]
    return None


def _formulas(columns: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the scores of simple metrics, to be compared with the metric's own."""
    if not all(one.dtype.kind in "biuf" for one in columns):
        return []
    floats = [one.astype(np.float64) for one in columns]
    if len(floats) == 1:
        return floats
    if len(floats) == 2:
        apart = floats[0] - floats[1]
        return [(apart == 0).astype(np.float64), np.abs(apart), apart * apart]
    return []


def _is_mean(scores: np.ndarray, value: Any) -> bool:
    if not isinstance(value, int | float) or not np.isfinite(scores).all():
        return False
    return math.isclose(float(np.mean(scores)), value, rel_tol=_CLOSE, abs_tol=_CLOSE)


def _numbers(values: Any) -> np.ndarray | None:
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuf":
        return values.astype(np.float64)
    return None


def _flat(column: Any) -> np.ndarray | None:
    """Return a column with one number or text for each sample; None for other columns."""
    if isinstance(column, list) and not all(isinstance(one, str | int | float) for one in column):
        return None
    try:
        found = np.asarray(column)
    except ValueError:
        return None
    return found if found.ndim == 1 and found.dtype.kind in "biufU" else None


def _codes(column: np.ndarray) -> np.ndarray:
    return np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _taken(column: Any, places: np.ndarray) -> Any:
    if isinstance(column, np.ndarray):
        return column[places]
    return [column[at] for at in places.tolist()]
