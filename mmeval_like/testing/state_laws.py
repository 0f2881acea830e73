"""The laws that every kind of state keeps; `check_state` checks them on your kind of state."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from mmeval_like._samples.combine import combine
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.rows import Ragged, Rows, concatenate, take
from mmeval_like.arrays.rank_order import global_order
from mmeval_like.backends.wire.named import pack_named, unpack_named
from mmeval_like.testing.same import same

__all__ = ["StateCase", "check_state", "state_laws"]


@dataclass(frozen=True)
class StateCase:
    """A state, rows for it, and the expected values.

    Attributes:
        state: The state.
        rows: Given a random generator and n, returns n rows: an array, a `Ragged` or a list.
        oracle: Given all rows as one piece, as `check` returned them, returns the expected value,
            computed in another way.
        order_matters: Whether the value depends on the order of the rows.
        subtracts: Whether the state can be subtracted.
        most: The largest number of rows in a batch.
    """

    state: State
    rows: Callable[[np.random.Generator, int], Rows]
    oracle: Callable[[Any], Any]
    order_matters: bool = False
    subtracts: bool = False
    most: int = 40


def check_state(
    case: StateCase, *, examples: int = 8, seed: int = 0, only: Iterable[str] | None = None
) -> None:
    """Check that a state keeps every law.

    Args:
        case: The state and its rows.
        examples: The number of random inputs to try for each law.
        seed: The seed of the random inputs.
        only: Names of laws; default: all of `state_laws()`.

    Raises:
        AssertionError: A law is broken; the text names it, and the seed.

    Example:
        >>> from mmeval_like import state
        >>> check_state(
        ...     StateCase(
        ...         state.count(5),
        ...         rows=lambda rng, n: rng.integers(0, 5, n),
        ...         oracle=lambda codes: np.bincount(codes, minlength=5),
        ...         subtracts=True,
        ...     )
        ... )
    """
    laws = state_laws()
    for name in only if only is not None else laws:
        for example in range(examples):
            rng = np.random.default_rng([seed, example])
            try:
                laws[name](case, rng)
            except Exception as error:
                raise AssertionError(
                    f"law {name!r} (seed={seed}, example {example}): {error!r}"
                ) from error


def state_laws() -> dict[str, Callable[[StateCase, np.random.Generator], None]]:
    """Return the laws by name, each a function of a case and a random generator."""
    return {
        "equals_oracle": _equals_oracle,
        "any_batches": _any_batches,
        "any_grouping": _any_grouping,
        "any_ranks": _any_ranks,
        "any_order": _any_order,
        "arrays_are_the_state": _arrays_are_the_state,
        "additive_arrays_add_up": _additive_arrays_add_up,
        "subtracting_undoes_merging": _subtracting_undoes_merging,
        "copies_are_independent": _copies_are_independent,
    }


# The laws ----------------------------------------------------------------------------------


def _equals_oracle(case: StateCase, rng: np.random.Generator) -> None:
    batches = _batches(case, rng)
    rows = concatenate([case.state.check("s", rows) for rows in batches])
    expected = case.oracle(copy.deepcopy(rows))
    _expect(case, _value(case.state, batches), expected, "of all rows, the oracle says otherwise")


def _any_batches(case: StateCase, rng: np.random.Generator) -> None:
    kind, batches = case.state, _batches(case, rng)
    if kind.ordered:
        return
    expected = _value(kind, batches)
    several = [kind.check("s", rows) for rows in batches]
    folds = {
        "one by one": reduce(kind.fold, several, kind.empty()),
        "row by row": reduce(kind.fold, _single(concatenate(several)), kind.empty()),
        "as pieces": kind.fold_pieces(kind.empty(), several),
        "as many pieces": kind.fold_pieces(kind.empty(), _single(concatenate(several))),
    }
    for how, folded in folds.items():
        _expect(case, kind.value(folded), expected, f"folded {how}")


def _any_grouping(case: StateCase, rng: np.random.Generator) -> None:
    kind, batches = case.state, _batches(case, rng)
    if kind.ordered:
        return
    expected = _value(kind, batches)

    def folded(start: int, stop: int) -> Any:
        """Merge some of the batches in a random tree."""
        if stop - start < 2:
            pieces = [kind.check("s", rows) for rows in batches[start:stop]]
            return kind.fold_pieces(kind.empty(), pieces) if pieces else kind.empty()
        middle = int(rng.integers(start, stop + 1))
        middle = middle if start < middle < stop else start + 1
        return kind.merge(folded(start, middle), folded(middle, stop))

    for _ in range(3):
        _expect(case, kind.value(folded(0, len(batches))), expected, "merged in another grouping")
    alone = kind.merge(kind.empty(), folded(0, len(batches)))
    _expect(case, kind.value(alone), expected, "merged with no rows")


def _any_ranks(case: StateCase, rng: np.random.Generator) -> None:
    rows = concatenate([case.state.check("s", rows) for rows in _batches(case, rng)])
    states = {"s": case.state}
    expected = _value(case.state, [rows])
    for mode in ("unzip", "cat"):
        counts = np.bincount(rng.integers(0, 3, len(rows)), minlength=3).tolist()
        order = global_order(counts, mode)
        dealt = rows
        if order is not None:  # row `order[i]` of the joined shards is row i of all
            dealt = take(rows, np.argsort(order))
        for padding in (0, 5):
            stops = np.cumsum([0, *counts]).tolist()
            shards = [take(dealt, np.arange(*ends)) for ends in pairwise(stops)]
            parts = []
            for shard in shards:
                store = Store(states, max_padding=padding)
                for batch in [take(shard, np.arange(len(shard) // 2)),
                              take(shard, np.arange(len(shard) // 2, len(shard)))]:  # fmt: skip
                    store.append(store.check({"s": batch}))
                sent = b"".join(pack_named(store.part(padding).to_dict(states)))
                found, _ = unpack_named(memoryview(sent), 0)
                parts.append(Part.from_dict(states, found))
            results, _ = combine(states, parts, kept=None, mode=mode, size=None)
            _expect(case, results.s, expected, f"from ranks with {counts} rows, {mode}")


def _any_order(case: StateCase, rng: np.random.Generator) -> None:
    if case.order_matters:
        return
    rows = concatenate([case.state.check("s", rows) for rows in _batches(case, rng)])
    shuffled = take(rows, rng.permutation(len(rows)))
    _expect(
        case, _value(case.state, [shuffled]), _value(case.state, [rows]), "of rows in other order"
    )


def _arrays_are_the_state(case: StateCase, rng: np.random.Generator) -> None:
    kind, batches = case.state, _batches(case, rng)
    if kind.ordered:
        return
    for some in ([], batches[:1], batches):
        folded = _folded(kind, some)
        expected = kind.value(kind.copy(folded))
        found = kind.to_arrays(folded)
        for name, array in found.items():
            if not isinstance(array, np.ndarray) or array.dtype.kind not in "biufc":
                raise AssertionError(f"to_arrays()[{name!r}] is not a numeric array: {array!r}")
        restored = kind.from_arrays({name: array.copy() for name, array in found.items()})
        _expect(case, kind.value(restored), expected, "written as arrays and read")
        more = [kind.check("s", rows) for rows in batches]
        _expect(
            case,
            kind.value(kind.fold_pieces(restored, more)),
            kind.value(kind.fold_pieces(folded, more)),
            "written as arrays, read and folded on",
        )


def _additive_arrays_add_up(case: StateCase, rng: np.random.Generator) -> None:
    kind, batches = case.state, _batches(case, rng)
    if not kind.additive:
        return
    values = [kind.to_arrays(_folded(kind, [rows])) for rows in batches]
    empty = kind.to_arrays(kind.empty())
    for value in values:
        if {n: a.shape for n, a in value.items()} != {n: a.shape for n, a in empty.items()}:
            raise AssertionError("the arrays of an additive state must keep their names and shapes")
    sums: dict[str, np.ndarray] = {}
    for name, zero in empty.items():
        arrays = [value[name] for value in values]
        if {array.dtype for array in (zero, *arrays)} != {np.dtype(np.int64)}:
            raise AssertionError(f"the array {name!r} of an additive state must be int64")
        sums[name] = np.asarray(reduce(np.add, arrays, zero))
    _expect(case, kind.value(kind.from_arrays(sums)), _value(kind, batches), "added up as arrays")


def _subtracting_undoes_merging(case: StateCase, rng: np.random.Generator) -> None:
    kind, batches = case.state, _batches(case, rng)
    if kind.ordered:
        return
    cut = int(rng.integers(0, len(batches) + 1))
    first, second = batches[:cut], batches[cut:]
    if not case.subtracts:
        try:
            kind.subtract(_folded(kind, first), _folded(kind, second))
        except TypeError:
            return
        raise AssertionError("subtract() must raise TypeError, or the case say subtracts=True")
    both = kind.merge(_folded(kind, first), _folded(kind, second))
    for part, rest in ((second, first), (first, second)):
        left = kind.subtract(kind.copy(both), _folded(kind, part))
        expected = _folded(kind, rest)
        if not _alike(kind.to_arrays(left), kind.to_arrays(expected)):
            raise AssertionError("what is left is not, to the last bit, the state of the rest")
    _expect(case, kind.value(both), _value(kind, batches), "after it was subtracted from")


def _copies_are_independent(case: StateCase, rng: np.random.Generator) -> None:
    kind, batches = case.state, _batches(case, rng)
    if kind.ordered:
        return
    folded = _folded(kind, batches)
    expected = copy.deepcopy(kind.value(kind.copy(folded)))
    for twin in (kind.copy(folded), copy.deepcopy(folded), pickle.loads(pickle.dumps(folded))):
        _expect(case, kind.value(kind.copy(twin)), expected, "copied")
        kind.fold_pieces(twin, [kind.check("s", rows) for rows in batches])
        _expect(case, kind.value(kind.copy(folded)), expected, "after rows went to a copy")
    value = kind.value(kind.copy(folded))
    for array in value if isinstance(value, tuple) else (value,):
        if isinstance(array, np.ndarray):
            array[...] = np.zeros((), array.dtype)
    _expect(case, kind.value(folded), expected, "after the value of a copy was overwritten")


# Helpers of the laws ---------------------------------------------------------------------------


def _batches(case: StateCase, rng: np.random.Generator) -> list[Rows]:
    """Draw at least one batch; some may be empty or hold one row."""
    counts = rng.integers(0, case.most + 1, int(rng.integers(1, 13)))
    counts[rng.random(len(counts)) < 0.2] = 1
    return [case.rows(rng, int(count)) for count in counts]


def _folded(kind: State, batches: list[Rows]) -> Any:
    pieces = [kind.check("s", rows) for rows in batches]
    return kind.fold(kind.empty(), concatenate(pieces)) if pieces else kind.empty()


def _value(kind: State, batches: list[Rows]) -> Any:
    if kind.ordered:
        return kind.value(concatenate([kind.check("s", rows) for rows in batches]))
    return kind.value(_folded(kind, batches))


def _single(rows: Rows) -> list[Rows]:
    return [take(rows, np.array([index])) for index in range(len(rows))] or [rows]


def _alike(value: Any, other: Any) -> bool:
    """Return whether values are the same, even if they contain `Ragged` or other objects."""
    if isinstance(value, Ragged) and isinstance(other, Ragged):
        return same(value.values, other.values) and same(value.lengths, other.lengths)
    if isinstance(value, Mapping) or not hasattr(value, "__dict__"):
        return same(value, other)
    return type(value) is type(other) and _alike(vars(value), vars(other))


def _expect(case: StateCase, value: Any, expected: Any, how: str) -> None:
    if not _alike(value, expected):
        raise AssertionError(f"{case.state!r} {how}: {value!r}, expected {expected!r}")
