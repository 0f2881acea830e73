"""Account: how many samples were planned, how many have a score, and why the others have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mmeval_like._base.keys import WHOLE
from mmeval_like._base.warning import warn

__all__ = ["Account", "every", "told", "warn_of_dropped"]

_FEW = 0.01  # a larger share of samples without a score is told


@dataclass(frozen=True)
class Account:
    """The samples of a value: those with a score, and by reason those without one.

    Attributes:
        planned: The number of samples that should have a score.
        unscored: The number of samples without a score, by reason. In a comparison of two systems,
            the reasons are those of both, such as "a: error" or "a: error, b: timeout".
        bounds: With `unscored="bounds"`, the worst and the best value by key.
        outer: Whether the bounds may be wider than the values that are possible.
        dropped: Whether the samples without a score do not count.

    Example:
        >>> account = Account(7, {"error": 2})
        >>> account.scored, account.said()
        (5, '5 of 7 scored; 2 error')
    """

    planned: int
    unscored: Mapping[str, int] = field(default_factory=dict)
    bounds: Mapping[str, Any] = field(default_factory=dict)
    outer: bool = False
    dropped: bool = False

    @property
    def scored(self) -> int:
        """The number of samples that have a score."""
        return self.planned - sum(self.unscored.values())

    @property
    def one_sided(self) -> tuple[int, int, int]:
        """In a comparison, how many samples only a has a score for, only b, and neither.

        Example:
            >>> Account(9, {"a: error": 2, "b: error": 1, "a: error, b: limit": 3}).one_sided
            (1, 2, 3)
        """
        counts = [0, 0, 0]
        for reason, count in self.unscored.items():
            in_b = not reason.startswith("a: ")
            counts[0 if in_b else 2 if ", b: " in reason else 1] += count
        return counts[0], counts[1], counts[2]

    def said(self) -> str:
        """Return the numbers in words; "" if all samples have a score."""
        if not self.unscored:
            return ""
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.unscored.items())
        return f"{self.scored:,} of {self.planned:,} scored; {reasons}"


def warn_of_dropped(names: Sequence[str], accounts: Any) -> None:
    """Warn, once for all slices and members, if many samples without a score do not count.

    Args:
        names: The names of the metrics.
        accounts: An account, accounts by name, or None.
    """
    lines = _lines(
        (path, one)
        for path, one in every(accounts)
        if one.dropped and one.planned - one.scored > _FEW * one.planned
    )
    if lines:
        said = f"{_first(names, ', ')}: {_first(lines, '; ')}"
        warn(f"{said}; the others do not count")


def _first(texts: Sequence[str], separator: str) -> str:
    more = [f"and {len(texts) - 3} more"] if len(texts) > 3 else []
    return separator.join([*texts[:3], *more])


def every(accounts: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Account]]:
    """Yield every account with samples that have no score, with the names that lead to it.

    Args:
        accounts: An account, accounts by name, or None.
        path: The names that lead to them.
    """
    if isinstance(accounts, Mapping):
        for name, one in accounts.items():
            yield from every(one, (*path, name))
    elif accounts is not None and accounts.unscored:
        yield path, accounts


def told(accounts: Any) -> list[str]:
    """Return a line for each slice in which samples have no score.

    Members of a collection have lines of their own where their accounts differ.

    Args:
        accounts: An account, accounts by name, or None.

    Example:
        >>> told({"all": Account(7, {"error": 2}), "k=a": Account(3, {"error": 1})})
        ['5 of 7 scored; 2 error', 'k=a: 2 of 3 scored; 1 error']
    """
    return _lines(every(accounts))


def _lines(accounts: Iterable[tuple[tuple[str, ...], Account]]) -> list[str]:
    slices: dict[str, dict[str, str]] = {}
    for path, one in accounts:
        members = slices.setdefault(",".join(name for name in path if "=" in name), {})
        members[" ".join(name for name in path if "=" not in name and name != WHOLE)] = one.said()
    lines = []
    for which, members in slices.items():
        alike = len(set(members.values())) == 1
        texts = {"": next(iter(members.values()))} if alike else members
        lines += [": ".join(filter(None, (which, name, text))) for name, text in texts.items()]
    return lines
