"""The reasons why samples have no score, and the inputs of the samples that have one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.rows import Rows, concatenate, take

__all__ = [
    "blank",
    "check_length",
    "chosen",
    "chosen_named",
    "read_reasons",
    "reasons_of",
    "refuse_unscored",
    "spread",
]


def read_reasons(given: Any) -> list[str | None]:
    """Return the reason of each sample: a string, or None for a sample with a score.

    Raises:
        TypeError: A reason is neither None nor a string that is not empty, or there is no list.

    Example:
        >>> read_reasons([None, "error", float("nan")])
        [None, 'error', None]
    """
    reasons = arrays.listed(given, "unscored", "a list with None or a reason for each sample")
    found = [None if arrays.is_missing(reason) else reason for reason in reasons]
    for reason in found:
        if reason is not None and not (isinstance(reason, str) and reason):
            raise TypeError(
                f"unscored must have None or a reason, such as 'error', for each sample, got "
                f"{reason!r:.50}"
            )
    return [None if reason is None else arrays.as_text(reason) for reason in found]


def reasons_of(reason: Any, ids: Any, clusters: Any, known: Mapping[str, Any]) -> list[str | None]:
    """Return the reasons of samples that all have no score, from one reason or a list of them.

    Args:
        reason: As for `add_unscored`; one string is for as many samples as the others are for.
        ids: As for `add_unscored`.
        clusters: As for `add_unscored`.
        known: As for `add_unscored`.

    Raises:
        TypeError: A sample has no reason.

    Example:
        >>> reasons_of("timeout", ["a", "b"], None, {})
        ['timeout', 'timeout']
    """
    if isinstance(reason, str):
        several = (v for v in (ids, *known.values(), clusters) if arrays.is_per_sample(v))
        reason = [reason] * len(next(several, [None]))
    found = read_reasons(reason)
    if None in found:
        raise TypeError("reason must be a string, or a string for each sample, got None")
    return found


def refuse_unscored(given: Any, name: str) -> None:
    """Refuse a batch with samples that have no score.

    Args:
        given: For each sample None, or the reason.
        name: The name of the metric.

    Raises:
        ValueError: There are such samples.
    """
    reasons = read_reasons(given)
    if (without := len(reasons) - reasons.count(None)) > 0:
        raise ValueError(
            f"{without} of {len(reasons)} samples have no score, and {name} was constructed "
            f'without unscored=: pass unscored="drop" to leave them out, a number or a label that '
            f'they count as, or "bounds" for the worst and the best value'
        )


def check_length(reasons: Sequence[Any], inputs: Sequence[Any]) -> None:
    """Check that the inputs of a batch have an entry for each reason.

    Raises:
        ValueError: They have another number of entries.
    """
    lengths = [len(value) for value in inputs if arrays.is_per_sample(value)]
    if lengths and len(reasons) not in lengths:
        raise ValueError(
            f"unscored must have None or a reason for each of the {lengths[0]} samples, got "
            f"{len(reasons)} entries"
        )


def chosen(value: Any, which: np.ndarray) -> Any:
    """Return an input of only some samples; one that has not an entry for each is unchanged.

    Args:
        value: The input.
        which: Whether each sample is chosen, bool (n,).

    Example:
        >>> chosen(["a", "b", "c"], np.array([True, False, True])), chosen(0.5, np.array([True]))
        (['a', 'c'], 0.5)
    """
    if not arrays.is_per_sample(value) or len(value) != len(which):
        return value
    if isinstance(value, list | tuple):
        return [entry for entry, keep in zip(value, which.tolist(), strict=True) if keep]
    if isinstance(value, np.ndarray):
        return value[which]
    if hasattr(value, "iloc"):
        return value.iloc[np.flatnonzero(which)]
    if arrays.may_be_texts(value):  # of polars or Arrow, where entries may be missing
        return value.filter(which.tolist())
    return arrays.to_host(value, "inputs")[which]


def chosen_named(named: Mapping[str, Any], which: np.ndarray) -> dict[str, Any]:
    """Return the inputs by name of only some samples; see `chosen`."""
    return {name: chosen(value, which) for name, value in named.items()}


def spread(
    own: Mapping[str, Any] | None, other: Mapping[str, Rows], which: np.ndarray
) -> dict[str, Rows]:
    """Return the rows of all samples, from those of the chosen ones and those of the others.

    Args:
        own: The rows of each state of the chosen samples; None: no sample is chosen.
        other: The rows of the others.
        which: As for `chosen`.

    Example:
        >>> rows = spread({"x": np.array([1, 2])}, {"x": np.array([7])}, np.array([1, 0, 1], bool))
        >>> rows["x"].tolist()
        [1, 7, 2]
    """
    if own is None:
        return dict(other)
    places = np.empty(len(which), np.int64)
    places[which] = np.arange(np.count_nonzero(which))
    places[~which] = np.arange(np.count_nonzero(which), len(which))
    return {name: take(concatenate([own[name], rows]), places) for name, rows in other.items()}


def blank(state: State, count: int, like: Any) -> Rows:
    """Return rows of samples that do not count.

    Args:
        state: The state.
        count: The number of samples.
        like: The rows of other samples of the same batch, whose form is taken; None: unknown.

    Example:
        >>> from mmeval_like import state
        >>> blank(state.sum(), 2, None).tolist(), blank(state.cat(), 1, np.ones((3, 2))).tolist()
        ([0.0, 0.0], [[0.0, 0.0]])
    """
    if isinstance(like, np.ndarray):
        return np.zeros((count, *like.shape[1:]), like.dtype)
    return state.blank(count)
