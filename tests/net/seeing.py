"""What one check saw: a value or an error, warnings, messages, and texts that may change."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mmeval_like.testing import LocalWorld

from .canonical import canonical, same_place

__all__ = ["Counted", "Seen", "Sight", "taken"]


class Sight:
    """What checks saw, by name."""

    def __init__(self, group: str, checks: dict[str, Any]) -> None:
        self.group, self.checks = group, checks

    def __call__(self, name: str, check: Callable[[], Any]) -> None:
        """Run a check, and keep what it returned or raised."""
        key = f"{self.group}/{name}"
        if key in self.checks:
            raise ValueError(f"two checks are named {key!r}")
        self.checks[key] = _outcome(check)


class Seen:
    """A value, with texts that are reported apart and the messages that it took.

    Args:
        value: What must be equal.
        texts: What is reported apart where it changes.
        world: The world of ranks whose messages are counted.
    """

    def __init__(self, value: Any, texts: Sequence[Any] = (), world: Counted | None = None) -> None:
        self.value, self.texts, self.world = value, texts, world


class Counted(LocalWorld):
    """A world of ranks that are threads, which counts what each of them sends."""

    def __init__(self, size: int, *, members_only: bool = False) -> None:
        self.sent = [0] * size
        super().__init__(size, members_only=members_only, timeout=60)

    def exchange(self, rank: int, name: str, value: Any) -> list[Any]:
        """Count the bytes of a message, and exchange it."""
        self.sent[rank] += _bytes(value)
        return super().exchange(rank, name, value)


def taken(data: Sequence[Any], which: Any) -> tuple[Any, ...]:
    """Return some of the samples of every argument: an array, a list of samples, or None."""
    where = np.asarray(which, int)
    return tuple(
        column
        if column is None
        else column[where]
        if isinstance(column, np.ndarray)
        else [column[place] for place in where]
        for column in data
    )


def _outcome(check: Callable[[], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            value = check()
            seen = value if isinstance(value, Seen) else Seen(value)
            found["value"] = json.dumps(canonical(seen.value))
            found["texts"] = [canonical(text) for text in seen.texts]
            if seen.world is not None:
                # Those of the group in which results are computed in the background count as well.
                both = zip(seen.world.calls, seen.world.aside.calls, strict=True)
                names = [sorted(calls.items()) + sorted(aside.items()) for calls, aside in both]
                found["messages"] = [sum(number for _, number in one) for one in names]
                found["bytes"] = list(seen.world.sent)
                found["texts"].append(canonical(names))
        except Exception as error:
            found["error"] = [base.__name__ for base in type(error).__mro__]
            found["texts"] = [same_place(str(error)), *map(same_place, _notes(error))]
    told = {(one.category.__name__, same_place(str(one.message))) for one in said}
    found["warned"] = sorted({category for category, _ in told})
    found["texts"] += sorted(map(str, told))
    return found


def _notes(error: BaseException) -> list[str]:
    # What a rank of a world says of the others has their order in time.
    return [note for note in getattr(error, "__notes__", []) if not note.startswith("rank ")]


def _bytes(value: Any) -> int:
    if value is None:
        return 0
    if isinstance(value, np.ndarray):
        return value.nbytes
    return sum(map(_bytes, value)) if isinstance(value, list) else len(value)
