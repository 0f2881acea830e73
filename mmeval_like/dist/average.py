"""average_metrics: a weighted mean over ranks, in one all-reduce."""

from __future__ import annotations

import hashlib
import math
import traceback
from collections.abc import Mapping

import numpy as np

from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like._base.warning import warn
from mmeval_like.errors import DisagreementError, RemoteError

__all__ = ["average_metrics"]

# Every rank sends a vector of this length, whatever it averages: with vectors of different lengths,
# libraries abort or return garbage. The vector begins with what the ranks must agree on.
_LENGTH = 1024
_FAILED, _WEIGHT, _SMALL_WEIGHT, _COUNT, _HASH = 0, 1, 2, 3, 4
_SMALL = 2.0**-64  # scaled by this factor, the sum of the weights is finite
_PIECES = 3  # of the hash, 16 bits each, so that sums of their squares stay exact
_VALUES = _HASH + 2 * _PIECES


def average_metrics(
    metrics: Mapping[str, float],
    count: float = 1.0,
    dist_backend: str | BaseDistBackend | None = None,
) -> dict[str, float]:
    """Average a dictionary of numbers over the ranks, with one all-reduce.

    The result is sum(count_r * value_r) / sum(count_r) over the ranks r. Every rank must call
    it, with the same keys; their order does not matter. A rank of weight 0 does not contribute,
    nor do its nan values.

    Args:
        metrics: This rank's numbers by name.
        count: This rank's weight, for instance its number of samples; finite, >= 0.
        dist_backend: A backend's name or instance; None for the automatic choice.

    Returns:
        The averages as Python floats, the same on every rank, in the order of this rank's keys.
        If all weights are 0, they are nan, with a warning.

    Raises:
        ValueError: `count` is negative or not finite; every rank raises it.
        TypeError: `metrics` is not a mapping, a key is not a string, or a value or `count` is not a
            number; the other ranks raise `RemoteError`.
        DisagreementError: The ranks have different keys; the error names them.

    Example:
        >>> average_metrics({"loss": 0.5, "top1": 1.0}, count=32)
        {'loss': 0.5, 'top1': 1.0}
    """
    backend = get_dist_backend(dist_backend)
    failure: Exception | None = None
    vector = np.zeros(_LENGTH)
    try:
        weighted, keys = _weigh(metrics, count)
        _announce(vector, keys, float(count))
        head = weighted[: _LENGTH - _VALUES]
        vector[_VALUES : _VALUES + len(head)] = head
    except Exception as error:  # whatever it is, the other ranks must be informed
        failure = error
        vector[:] = 0.0
        vector[_FAILED] = 1.0
    if backend.world_size == 1:
        if failure is not None:
            raise failure
        total = vector
    else:
        total = backend.all_reduce(vector, "sum")
        if total[_FAILED] or not _agree(total, backend.world_size):
            _raise_trouble(metrics, failure, backend)
    sums = total[_VALUES : _VALUES + len(weighted)]
    if len(weighted) > len(head):  # all ranks have the same keys, so the same number
        rest = weighted[len(head) :]
        sums = np.append(sums, rest if backend.world_size == 1 else backend.all_reduce(rest, "sum"))
    if total[_WEIGHT] == 0:
        warn("average_metrics: all weights are 0, the averages are nan", UserWarning)
        return dict.fromkeys(metrics, math.nan)
    if backend.world_size == 1:  # (count * value) / count can differ in the last bit
        return {key: float(value) for key, value in metrics.items()}
    with np.errstate(over="ignore", invalid="ignore"):
        means = sums / total[_WEIGHT]
        beyond = ~np.isfinite(means) | math.isinf(total[_WEIGHT])
    if beyond.any():  # the same on all ranks, since their sums are equal
        share = float(count) * _SMALL / total[_SMALL_WEIGHT]
        values = np.array([float(metrics[key]) for key in keys])
        means = np.where(beyond, _mean_of_large(values, share, backend), means)
    averages = dict(zip(keys, means.tolist(), strict=True))
    return {key: averages[key] for key in metrics}


def _mean_of_large(values: np.ndarray, share: float, backend: BaseDistBackend) -> np.ndarray:
    """Return the mean of values whose sum exceeds the largest float64, but whose mean does not."""
    with np.errstate(over="ignore", invalid="ignore"):
        halves = values / 2 * share if share else np.zeros(len(values))
        halves = backend.all_reduce(halves, "sum")
        largest = np.finfo(float).max / 2  # which rounding may exceed
        clipped: np.ndarray = np.where(np.isfinite(halves), halves.clip(-largest, largest), halves)
        return 2 * clipped


def _weigh(metrics: Mapping[str, float], count: float) -> tuple[np.ndarray, list[str]]:
    try:
        count = float(count)
    except Exception as error:
        raise TypeError(f"count must be a number, got {count!r}") from error
    if not (math.isfinite(count) and count >= 0):
        raise ValueError(f"count must be finite and not negative, got {count}")
    if not isinstance(metrics, Mapping):
        raise TypeError(f"metrics must map names to numbers, got {type(metrics).__name__}")
    for key, value in metrics.items():
        if not isinstance(key, str):
            raise TypeError(f"the keys of metrics must be strings, got {key!r}")
        try:
            float(value)
        except Exception as error:  # torch raises RuntimeError for several elements
            raise TypeError(f"metrics[{key!r}] must be a number, got {value!r}") from error
    keys = sorted(metrics)
    values = np.array([float(metrics[key]) for key in keys])
    with np.errstate(over="ignore"):
        return (count * values if count else np.zeros(len(keys))), keys


def _announce(vector: np.ndarray, keys: list[str], count: float) -> None:
    plain = [str.__str__(key) for key in keys]  # a string of numpy equals one of Python
    digest = hashlib.blake2b(repr(plain).encode(), digest_size=2 * _PIECES).digest()
    pieces = np.frombuffer(digest, "<u2").astype(np.float64)
    vector[_WEIGHT], vector[_SMALL_WEIGHT], vector[_COUNT] = count, count * _SMALL, len(keys)
    vector[_HASH : _HASH + _PIECES] = pieces
    vector[_HASH + _PIECES : _VALUES] = pieces**2


def _agree(total: np.ndarray, ranks: int) -> bool:
    # By Cauchy and Schwarz: n * sum(p^2) = (sum p)^2 if and only if all p are equal.
    firsts = total[_HASH : _HASH + _PIECES]
    squares = total[_HASH + _PIECES : _VALUES]
    return all(
        ranks * int(square) == int(first) ** 2
        for first, square in zip(firsts, squares, strict=True)
    )


def _raise_trouble(
    metrics: Mapping[str, float], failure: Exception | None, backend: BaseDistBackend
) -> None:
    text = "".join(traceback.format_exception(failure)).rstrip() if failure else None
    told = backend.all_gather_object((text, None if failure else sorted(metrics)))
    if failure is not None:
        raise failure
    failed = {rank: text for rank, (text, _) in enumerate(told) if text is not None}
    if failed:
        error = RemoteError([*failed], [*failed.values()])
        kinds = {text.rpartition("\n")[2].partition(":")[0] for text in failed.values()}
        raise ValueError(str(error)) if kinds == {"ValueError"} else error
    common = set.intersection(*(set(keys) for _, keys in told))
    extra = {rank: sorted(set(keys) - common) for rank, (_, keys) in enumerate(told)}
    lines = [f"  rank {rank}: {', '.join(keys) or 'none'}" for rank, keys in extra.items()]
    raise DisagreementError(
        "average_metrics needs the same keys on every rank; these keys are missing on some ranks:\n"
        + "\n".join(lines)
    )
