"""Slices against the other samples: whether a slice is better or worse than the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from mmeval_like._intervals.corrections import adjusted
from mmeval_like._intervals.independent import difference_of
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.spanning import Spanning
from mmeval_like._verdicts.differences import apart
from mmeval_like._verdicts.verdict import Verdict

__all__ = ["OfSlice", "against_rest"]

Direction = Callable[[str], bool | None]


@dataclass(frozen=True)
class OfSlice(Spanning):
    """The interval of a value of one slice.

    Attributes:
        apart: Whether the slice differs from all other samples: the verdict on the difference,
            slice - others, with the p-value corrected for the number of slices by Holm's method;
            None if there are no others.
    """

    apart: Verdict | None = None


def against_rest(
    slices: Mapping[str, Any],
    rests: Mapping[str, Any],
    directions: Mapping[str, Direction],
    together: Collection[str],
) -> dict[str, Any]:
    """Return the intervals of slices with the verdict on each slice against the other samples.

    Args:
        slices: The intervals of every slice, by key; or of the members of a collection, by name.
        rests: In the same form, the intervals of all samples that are not in the slice.
        directions: By the name of the member, or "" without a collection, what returns for a key
            whether more is better.
        together: The slices that have samples of clusters which are in others, too.
    """
    found: dict[str, dict[str, Any]] = {name: dict(intervals) for name, intervals in slices.items()}
    for key in dict.fromkeys(key for intervals in slices.values() for key in intervals):
        one = {name: each[key] for name, each in slices.items() if key in each}
        other = {name: each[key] for name, each in rests.items() if key in each}
        if all(isinstance(interval, Interval) for interval in [*one.values(), *other.values()]):
            made = _compared(one, other, directions[""](key), together)
        elif all(isinstance(each, Mapping) for each in [*one.values(), *other.values()]):
            made = against_rest(one, other, {"": directions[key]}, together)
        else:  # values of classes
            continue
        for name, interval in made.items():
            found[name][key] = interval
    return found


def _compared(
    slices: Mapping[str, Interval],
    rests: Mapping[str, Interval],
    better: bool | None,
    together: Collection[str],
) -> dict[str, Interval]:
    differences = {
        name: difference_of(slices[name], rests[name], together=name in together)
        for name in slices.keys() & rests
    }
    chances = adjusted([one.p for one in differences.values()], "holm")
    verdicts = {
        name: apart(one.interval, p, better)
        for (name, one), p in zip(differences.items(), chances, strict=True)
    }
    return {
        name: OfSlice(
            **{each.name: getattr(one, each.name) for each in fields(Interval)},
            lowest=one.below,
            highest=one.above,
            apart=verdicts.get(name),
        )
        for name, one in slices.items()
    }
