"""Rounding that can be switched off, since a rounded value hides the effect of one sample."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["rounded", "without_rounding"]

_ROUNDS: ContextVar[bool] = ContextVar("rounds", default=True)


def rounded(value: float, digits: int) -> float:
    """Return `round(value, digits)`, or the value itself within `without_rounding`.

    Example:
        >>> rounded(1 / 3, 4)
        0.3333
    """
    return round(value, digits) if _ROUNDS.get() else value


@contextmanager
def without_rounding() -> Iterator[None]:
    """Switch off the rounding of `rounded` within this block.

    Example:
        >>> with without_rounding():
        ...     rounded(1 / 3, 4)
        0.3333333333333333
    """
    token = _ROUNDS.set(False)
    try:
        yield
    finally:
        _ROUNDS.reset(token)
