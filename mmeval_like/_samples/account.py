"""Account: how many samples were planned, how many have a score, and why the others have none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Account"]


@dataclass(frozen=True)
class Account:
    """The samples of a value: those with a score, and by reason those without one.

    Attributes:
        planned: The number of samples that should have a score.
        unscored: The number of samples without a score, by reason. In a comparison of two systems,
            the reasons are those of both, such as "a: error" or "a: error, b: timeout".
        bounds: With `unscored="bounds"`, the worst and the best value by key.
        outer: Whether the bounds may be wider than the values that are possible.

    Example:
        >>> account = Account(7, {"error": 2})
        >>> account.scored, account.said()
        (5, '5 of 7 scored; 2 error')
    """

    planned: int
    unscored: Mapping[str, int] = field(default_factory=dict)
    bounds: Mapping[str, Any] = field(default_factory=dict)
    outer: bool = False

    @property
    def scored(self) -> int:
        """The number of samples that have a score."""
        return self.planned - sum(self.unscored.values())

    def said(self) -> str:
        """Return the numbers in words; "" if all samples have a score."""
        if not self.unscored:
            return ""
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.unscored.items())
        return f"{self.scored:,} of {self.planned:,} scored; {reasons}"
