"""Which statistics of a collection are kept, and whose results follow from another's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from mmeval_like._states.results import Results
from mmeval_like._states.statistic import plain

__all__ = ["Derivation", "Source", "plan", "share"]

# The member whose statistic is used, and the function that turns its results into those of the
# member's own statistic; None where both statistics are equal.
Derivation: TypeAlias = Callable[[Results], Results]
Source: TypeAlias = "tuple[str, Derivation | None]"


def share(statistics: Mapping[str, Any], alone: Sequence[str]) -> dict[str, Source]:
    """Return, for every member, whose statistic it uses, and how its own results follow from it.

    What was declared decides, never the values seen so far: these may be equal by chance.

    Args:
        statistics: By member, its `Statistic`.
        alone: Members that share with no other.
    """
    sources: dict[str, Source] = {}
    shared = {name: each for name, each in statistics.items() if name not in alone}
    for name, statistic in statistics.items():
        equal = next((other for other, known in shared.items() if known == statistic), name)
        # The first member with this statistic keeps the rows.
        sources[name] = (name if name in alone else equal, None)
    owners = dict.fromkeys(owner for owner, _ in sources.values() if owner not in alone)
    for name in owners:
        if any(owner == name and derive for owner, derive in sources.values()):
            continue  # the results of another member follow from this one already
        for other in owners:
            derive = _derive(statistics[name], statistics[other]) if other != name else None
            if derive is not None and sources[other] == (other, None):
                equal_ones = [member for member, source in sources.items() if source[0] == name]
                sources |= dict.fromkeys(equal_ones, (other, derive))
                break
    return sources


def _derive(statistic: Any, other: Any) -> Derivation | None:
    """Return how a statistic's results follow from another's, which may keep more beside them."""
    inner = plain(other)
    if inner is not other and inner == statistic:
        return _as_they_are
    found: Derivation | None = statistic.derive(inner)
    return found


def _as_they_are(results: Results) -> Results:
    return results


def plan(
    sources: Mapping[str, Source], owners: Sequence[str]
) -> tuple[list[tuple[Derivation, int]], dict[str, int]]:
    """Return what follows from the owners' results, and by name whose results a member takes.

    Results are known by their places: first the owners', then each that follows from one.
    """
    known: dict[Source, int] = {(name, None): place for place, name in enumerate(owners)}
    derivations: list[tuple[Derivation, int]] = []
    for owner, derive in sources.values():
        if derive is not None and (owner, derive) not in known:
            known[owner, derive] = len(known)
            derivations.append((derive, known[owner, None]))
    return derivations, {name: known[source] for name, source in sources.items()}
