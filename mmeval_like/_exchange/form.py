"""Form: how a rank sends its rows, decided from a few facts about them."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from mmeval_like._exchange.envelope import fits

__all__ = ["Facts", "Form", "form"]

# A vector of up to this many times the size of a slot may fit into it when packed. Merging packed
# parts takes longer than adding vectors, which matters with more ranks than the second number.
_SHORTER, _FEW_RANKS = 20, 16


class Form(Enum):
    """How the rows travel.

    Attributes:
        SLOT: As a vector, in the slot.
        VECTOR: As a vector, which an all-reduce adds after the slots.
        PARTS: As packed parts, in the slot if they fit, or after it.
    """

    SLOT = "slot"
    VECTOR = "vector"
    PARTS = "parts"


class Facts(NamedTuple):
    """What the form depends on.

    Attributes:
        additive: Whether all states add up.
        alike: Whether all stores have the same number of rows, without ids.
        tail: How many of the last rows stay unfolded; None: all that `size` may drop.
        length: The number of bytes of the vector, if all states add up; otherwise 0.
        ranks: The number of ranks.
        room: The size of a slot; None: the backend sends objects, which have no slots.
        packed: The number of bytes of the packed parts; None: they are not packed yet.
    """

    additive: bool
    alike: bool
    tail: int | None
    length: int
    ranks: int
    room: int | None
    packed: int | None = None


def form(facts: Facts) -> Form:
    """Return the form of the message.

    Example:
        >>> form(Facts(additive=True, alike=True, tail=0, length=16, ranks=2, room=4096))
        <Form.SLOT: 'slot'>
        >>> facts = Facts(additive=True, alike=True, tail=0, length=40_000, ranks=2, room=4096)
        >>> form(facts), form(facts._replace(packed=5_000))
        (<Form.PARTS: 'parts'>, <Form.VECTOR: 'vector'>)
    """
    additive, alike, tail, length, ranks, room, packed = facts
    if room is None or not additive or not alike or tail != 0:
        return Form.PARTS
    if fits(length, room):
        return Form.SLOT
    if packed is None:
        may_fit = length <= _SHORTER * room and ranks <= _FEW_RANKS
    else:
        may_fit = fits(packed, room)
    return Form.PARTS if may_fit else Form.VECTOR
