"""Account: how many samples were planned, how many have a score, and why the others have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mmeval_like._base.keys import WHOLE
from mmeval_like._base.warning import warn

__all__ = ["Account", "account_of", "every", "told", "warn_of_dropped"]

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
        one_sided: In a comparison, how many samples only a has a score for, only b, and neither.

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
    one_sided: tuple[int, int, int] = (0, 0, 0)

    @classmethod
    def of(cls, planned: int, counts: Mapping[Any, int], dropped: bool) -> Account:
        """Return the account of samples whose reasons are counted.

        Args:
            planned: The number of samples.
            counts: The number of samples without a score by reason; in a comparison by the pair of
                the reasons of a and b, of which one is None if that system has a score.
            dropped: Whether these samples do not count.

        Example:
            >>> found = Account.of(9, {("error", None): 2, ("error", "limit"): 3}, False)
            >>> found.unscored, found.one_sided
            ({'a: error': 2, 'a: error, b: limit': 3}, (0, 2, 3))
        """
        unscored: Counter[str] = Counter()
        sides = [0, 0, 0]
        for reason, count in counts.items():
            if isinstance(reason, tuple):
                both = [*zip("ab", reason, strict=True)]
                lacking = [f"{side}: {why}" for side, why in both if why is not None]
                unscored[", ".join(lacking)] += count
                sides[2 if len(lacking) == 2 else reason.index(None)] += count
            else:
                unscored[reason] += count
        ordered = {reason: unscored[reason] for reason in sorted(unscored)}
        a_only, b_only, neither = sides
        return cls(planned, ordered, dropped=dropped, one_sided=(a_only, b_only, neither))

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


def account_of(accounts: Any) -> Account | None:
    """Return the account of all samples; of a collection, that of its first member.

    Args:
        accounts: An account, accounts by name, or None.
    """
    while isinstance(accounts, Mapping):
        accounts = accounts[WHOLE] if WHOLE in accounts else next(iter(accounts.values()), None)
    found: Account | None = accounts
    return found


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
