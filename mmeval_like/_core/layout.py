"""Layout: the slots that a collection keeps, and the members that use them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from mmeval_like._core.slot import Slot
from mmeval_like._states.statistic import Derivation

__all__ = ["Layout"]

Source: TypeAlias = "tuple[int, Derivation | None]"


class Layout:
    """The distinct slots of a collection. Sharing depends on declarations, never on values.

    Args:
        members: The slots of every member.

    Attributes:
        slots: The slots that are kept.
        owned: For each member that reads batches, pairs of places: that of a kept slot, and that of
            the member's own slot.
        sources: For each slot of each member, the place of the kept slot that it uses, and the
            function that derives its results; None: the results are the same.
    """

    def __init__(self, members: Mapping[str, Sequence[Slot]]) -> None:
        every: list[Slot] = []
        owners: list[tuple[str, int]] = []
        used: dict[str, list[int]] = {}
        for name, slots in members.items():
            used[name] = []
            for own, slot in enumerate(slots):
                place = _place_of(slot, every)
                if place == len(every):
                    every.append(slot)
                    owners.append((name, own))
                every[place] = every[place].shared_with(slot)
                used[name].append(place)
        several = [places for places in used.values() if len(places) > 1]
        follows = _follows(every, {place for places in several for place in places})
        kept = [place for place in range(len(every)) if place not in follows]
        for place, (other, _) in follows.items():
            every[other] = every[other].shared_with(every[place])
        self.slots: list[Slot] = []
        self.owned: dict[str, list[tuple[int, int]]] = {}
        for at, place in enumerate(kept):
            name, own = owners[place]
            self.slots.append(replace(every[place], shape=replace(every[place].shape, member=name)))
            self.owned.setdefault(name, []).append((at, own))
        self.sources: dict[str, list[Source]] = {
            name: [
                (kept.index(follows[place][0]), follows[place][1])
                if place in follows
                else (kept.index(place), None)
                for place in places
            ]
            for name, places in used.items()
        }


def _follows(slots: Sequence[Slot], whole: set[int]) -> dict[int, tuple[int, Derivation]]:
    """Return, for each slot that can be derived, the source slot and the function.

    Args:
        slots: The slots.
        whole: The places of slots that are kept, since their members have several slots.
    """
    found: dict[int, tuple[int, Derivation]] = {}
    derived = [place for place, slot in enumerate(slots) if slot.derives]
    keeps_more = [place for place, slot in enumerate(slots) if slot.keeps_more]
    for place, slot in enumerate(slots):
        shape = slot.shape
        if place in whole or shape.wraps or shape.window:
            continue
        if any(other == place for other, _ in found.values()):
            continue  # the results of another member are already derived from this slot
        for at, other in enumerate(slots):
            if place not in derived and at not in keeps_more:
                continue
            if at != place and at not in found and (derive := slot.derivation(other)) is not None:
                found[place] = at, derive
                break
    return found


def _place_of(slot: Slot, slots: Sequence[Slot]) -> int:
    """Return the place of an equal slot; the number of slots if there is none."""
    kind = type(slot.statistic)
    for place, other in enumerate(slots):
        if type(other.statistic) is kind and other == slot:
            return place
    return len(slots)
