"""Files that were damaged on their way."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["damaged", "forged"]


def damaged(content: bytes, rng: np.random.Generator, *, cut: float, changes: int) -> bytes:
    """Return content that lost its end, with a probability, or in which bytes changed."""
    found = bytearray(content)
    if rng.random() < cut:
        del found[int(rng.integers(len(found))) :]
    else:
        for place in rng.integers(0, len(found), changes):
            found[place] ^= int(rng.integers(1, 256))
    return bytes(found)


_OTHERS: tuple[Any, ...] = (None, True, 0, -1, 2.5, 1e308, 10**30, "", "x", [], {}, [[]], {"a": 1})


def forged(value: Any, rng: np.random.Generator) -> Any:
    """Return JSON in which something at a random place is another thing, or gone."""
    value = copy.deepcopy(value)
    places = [*_places(value)]
    container, key = places[int(rng.integers(len(places)))]
    what = int(rng.integers(len(_OTHERS) + 3))
    if what == len(_OTHERS):
        del container[key]
    elif what == len(_OTHERS) + 1:
        container[key] = [container[key]]
    elif what == len(_OTHERS) + 2:
        container[key] = str(container[key])
    else:
        container[key] = copy.deepcopy(_OTHERS[what])
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container in it with every key of it."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])
