"""Conversion of option values for argparse, which reports the errors."""

from __future__ import annotations

import argparse

__all__ = ["count", "level", "policy", "whole"]


def count(text: str) -> int:
    """Return a string as an integer >= 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, got {text!r}")
    return int(text)


def whole(text: str) -> int:
    """Return a string as an integer >= 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be an integer of at least 0, got {text!r}")
    return int(text)


def policy(text: str) -> float | str:
    """Return a string as what samples without a score count as: a number, or a word or a label.

    Example:
        >>> policy("0"), policy("0.5"), policy("drop"), policy("")
        (0, 0.5, 'drop', '')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def level(text: str) -> float:
    """Return a string as the level of an interval."""
    try:
        found = float(text)
    except ValueError:
        percent = text.endswith("%")
        hint = "write 0.95 for 95%" if percent else "put files before --interval"
        told = f"must lie between 0 and 1, got {text!r}; {hint}"
        raise argparse.ArgumentTypeError(told) from None
    if not 0 < found < 1:
        hint = "; 95 % is 0.95" if 1 < found < 100 else ""
        raise argparse.ArgumentTypeError(f"must lie between 0 and 1, got {text!r}{hint}")
    return found
