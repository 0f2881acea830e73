"""What a kind of state is: how rows are checked, folded, merged, and written as arrays."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._states.dealing import Ranks
from mmeval_like._states.rows import Rows, concatenate
from mmeval_like.arrays.accelerator import DeviceArray, fetch

__all__ = ["NumericState", "State", "first_changed", "plain", "the_array"]


class State:
    """One declared state of a metric: how its rows become one value, on one rank and on many.

    A state that folds turns rows into a *folded value*: any object, if possible of a size that
    does not depend on the number of rows. Define at least `check`, `empty`,
    `fold`, `merge`, `to_arrays` and `from_arrays`; `mmeval_like.testing.check_state` then checks
    them. A state object does not change: its folded values are passed to and returned from its
    methods.

    Attributes:
        width: How many numbers a row adds to the sum, for intervals; None: the value is not a
            sum of rows.
        separable: The value contains every row, and `at` selects rows.
        ordered: Every row is kept, in order, instead of being folded. Only `check`, `empty`
            and `value` are called then.
        weighs: The value consists of sums of sample weights. With `unweighted` rows, the sums count
            samples.
        additive: The arrays of all folded values have the same names and shapes and are int64,
            and the arrays of a merged value are the sums of the arrays merged. Ranks then
            combine their values by one all-reduce.
        deals: In `deal`, the ranks can compute together what `compute_metric` asks of large values,
            so that no rank gets all of them; a `Column` uses the `deal_table` of its table instead.
        counts_hits: Rows are True and False, and the folded value is the number of True rows.
        counts_last: Only the last rows count, so that ids must be places in the dataset.
        on_accelerator: `fold` takes rows on any device, even on a GPU; otherwise they are fetched
            to the host first, in large blocks.
        block: How many bytes of rows are folded (or joined) at once. Fewer rows wait, and `compute`
            has to fold them.

    Example:
        >>> from mmeval_like import state
        >>> hits = state.sum(int)
        >>> isinstance(hits, State), hits.additive, hits.ordered
        (True, True, False)
        >>> some = hits.fold(hits.empty(), np.array([1, 0, 1]))
        >>> hits.value(hits.merge(some, hits.fold(hits.empty(), np.array([1]))))
        3
    """

    width: int | None = None
    separable = False
    ordered = False
    weighs = False
    additive = False
    deals = False
    counts_hits = False
    counts_last = False
    on_accelerator = False
    block = 64 * 1024

    @property
    def commutes(self) -> bool:
        """Whether the rows give the same value in any order; a dealt value has no order."""
        kept = self.ordered or type(self).merge_ranks is not State.merge_ranks
        return self.deals or not kept

    def __repr__(self) -> str:
        """Return the class and its options; the ranks compare it, so it has no addresses."""
        options = [f"{name}={_described(value)}" for name, value in sorted(vars(self).items())]
        return f"{type(self).__name__}({', '.join(options)})"

    def check(self, name: str, rows: Any) -> Rows:
        """Return a batch's rows in this state's form: an array, a `Ragged` or a list.

        Args:
            name: The state's name, for the errors.
            rows: What the metric's `rows` returned for this state.

        Raises:
            TypeError: The rows are not an array, or not of the declared kind of dtype.
            ValueError: Rows have the wrong shape, or a code is out of range.
        """
        raise NotImplementedError

    def terms(self, rows: Any) -> np.ndarray:
        """Return what each row adds to the sum, float64 of shape (n, width); see `width`."""
        raise NotImplementedError

    def amounts(self, rows: Any) -> np.ndarray | None:
        """Return how much each row adds, float64 (n,), if it may be a weight; None otherwise."""
        return None

    def unweighted(self, rows: Any) -> Rows:
        """Return the rows with every weight that is not 0 replaced by 1; see `weighs`."""
        raise NotImplementedError

    def empty(self) -> Any:
        """Return the folded value of no rows."""
        raise NotImplementedError

    def fold(self, folded: Any, rows: Any) -> Any:
        """Return the folded value with these rows added after the others; may reuse `folded`."""
        raise NotImplementedError

    def fold_pieces(self, folded: Any, pieces: Sequence[Rows]) -> Any:
        """Return the folded value with the rows of these batches added; may reuse `folded`."""
        rows = concatenate(pieces)
        return self.fold(folded, rows if self.on_accelerator else fetch(rows))

    def merge(self, folded: Any, other: Any) -> Any:
        """Return the folded value of both, with the rows of `other` last; may reuse `folded`."""
        raise NotImplementedError

    def merge_ranks(self, values: Sequence[Any], mode: str) -> Any:
        """Return the folded value of all ranks; may reuse the values.

        Args:
            values: One per rank, in rank order.
            mode: "unzip" or "cat": the global order, for states that depend on it.
        """
        return reduce(self.merge, values)

    def deal(self, folded: Callable[[], Any], wanted: frozenset[Any], ranks: Ranks) -> Any:
        """Return what `compute_metric` sees instead of `value`, on every rank; see `deals`.

        Args:
            folded: Returns this rank's folded value, which may be consumed. It may raise, and is
                called once, in a `work`.
            wanted: What the metrics want of the value; the same on every rank.
            ranks: The ranks, which all call this method. Code that may fail on a single rank is
                passed to them as work; `ranks.refuse` raises an error that all ranks raise.
        """
        raise NotImplementedError

    def subtract(self, folded: Any, other: Any) -> Any:
        """Return the folded value that gives `folded` when merged with `other`; reuses neither.

        Raises:
            TypeError: A state of this kind cannot be subtracted.
            ValueError: `other` has rows that `folded` does not have.
        """
        raise TypeError(f"{self!r} cannot be subtracted: it does not keep enough to remove rows")

    def possible(self, folded: Any, count: int) -> bool:
        """Return whether `count` rows can have this value, as far as this can be checked.

        If not, rows were subtracted that had never been added.
        """
        return True

    def compact(self, folded: Any) -> Any:
        """Return the same value in the form that is cheapest to hand out; reuses nothing.

        `compute` calls this, and the store keeps the result, so that the work is not repeated.
        """
        return folded

    def blank(self, count: int) -> Rows:
        """Return rows of samples that do not count, such as those without a score.

        Raises:
            TypeError: The state does not know the form of its rows.
        """
        raise TypeError(f"{self!r} has no rows for samples without a score")

    def unfolded(self, folded: Any, count: int) -> Rows:
        """Return `count` rows, in any order, whose folded value is this one.

        A state needs this if its value commutes, and if its rows are kept with their slices.

        Raises:
            TypeError: The value does not contain its rows.
        """
        raise TypeError(f"{self!r} does not keep its rows, so that it cannot be put into slices")

    def unscored(self, rows: Any) -> np.ndarray | None:
        """Return the place of each row's reason to have no score, int (n,), or None.

        The reasons are numbered from 1, in the order of the alphabet; 0 is a sample with a score.
        None: no row can be of a sample without a score.
        """
        return None

    def absent(self, rows: Any, count: int) -> Any:
        """Return rows like the given ones, of samples that nobody has added; see `unscored`."""
        raise NotImplementedError

    def copy(self, folded: Any) -> Any:
        """Return an independent copy of a folded value."""
        return copy.copy(folded)

    def value(self, folded: Any) -> Any:
        """Return what `compute_metric` sees, which it may change in place."""
        return folded

    def at(self, value: Any, places: np.ndarray) -> Any:
        """Return a value with only the rows at these places; see `separable`."""
        raise NotImplementedError

    def to_arrays(self, folded: Any) -> dict[str, np.ndarray]:
        """Return the folded value as numeric arrays by name, in which form it is sent and saved."""
        raise NotImplementedError

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> Any:
        """Return the folded value from such arrays, or, for an additive state, from sums of them.

        Raises:
            KeyError, ValueError: This state cannot have written the arrays.
        """
        raise NotImplementedError


class NumericState(State):
    """A state whose rows are arrays of shape (n, *shape)."""

    def __init__(self, dtype: type, shape: tuple[int, ...]) -> None:
        if dtype not in (int, float):
            raise TypeError(f"dtype must be int or float, got {dtype!r}")
        self.dtype, self.shape = dtype, tuple(shape)
        self.ndim = len(self.shape) + 1  # the number of axes of the rows
        # Batches may differ in dtype; these are promoted to a dtype that holds all their values.
        self.mixable = "?bBhHiIlq" if dtype is int else "?bBhHiIefd"

    def __repr__(self) -> str:
        return f"{type(self).__name__.lower()}({self.dtype.__name__}, {self.shape})"

    def blank(self, count: int) -> Rows:
        return np.zeros((count, *self.shape), self.dtype)

    def check(self, name: str, rows: Any) -> Rows:
        if type(rows) is not np.ndarray or rows.dtype.char not in self.mixable:
            rows = self._convert(name, rows)
        array: np.ndarray = rows
        if rows.ndim != self.ndim or (self.shape and rows.shape[1:] != self.shape):
            raise ValueError(
                f"the rows of state {name!r} must have shape (n, *{self.shape}), got {rows.shape}"
            )
        return array

    def _convert(self, name: str, rows: Any) -> np.ndarray:
        if type(rows) is DeviceArray and rows.dtype.char in self.mixable:
            return rows  # type: ignore[return-value]
        kinds = "biu" if self.dtype is int else "biuf"
        if not isinstance(rows, np.ndarray) or rows.dtype.kind not in kinds:
            raise TypeError(
                f"the rows of state {name!r} must be an array of {self.dtype.__name__}, "
                f"got {arrays.describe(rows)}"
            )
        convert = arrays.as_integers if self.dtype is int else arrays.as_floats
        return convert(rows, f"the rows of state {name!r}")


def _described(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_described, value))}]"
    if value is None or isinstance(value, bool | int | float | str | np.dtype | State):
        return repr(value)
    return str(getattr(value, "__name__", f"<{type(value).__name__}>"))


def first_changed(values: np.ndarray, converted: np.ndarray) -> Any:
    """Return the first value that the conversion to another dtype changed, or None."""
    # Cast and cast back: `==` of int64 and float64 would round both to float64 first.
    with np.errstate(invalid="ignore", over="ignore"):
        changed = (converted != values) | (converted.astype(values.dtype) != values)
    return values[changed][0] if changed.any() else None


def plain(name: str, values: np.ndarray) -> np.ndarray:
    """Return rows as a plain `np.ndarray`, not a subclass such as `np.memmap`.

    Raises:
        TypeError: The array is masked, and its mask would be ignored.
    """
    return values if type(values) is np.ndarray else arrays.to_host(values, f"state {name!r}")


def the_array(
    found: Mapping[str, np.ndarray], name: str, dtype: Any, shape: tuple[int | None, ...]
) -> np.ndarray:
    """Return the array of this name, which must have the dtype and shape; None is any length.

    Raises:
        KeyError: No array has this name.
        ValueError: The array has the wrong dtype or shape.

    Example:
        >>> the_array({"counts": np.array([3, 4])}, "counts", np.int64, (2,)).tolist()
        [3, 4]
    """
    array = found[name]
    if array.dtype == dtype and array.shape == shape:
        return array
    fits = array.dtype == dtype and len(array.shape) == len(shape)
    if not fits or any(n not in (None, m) for n, m in zip(shape, array.shape, strict=True)):
        raise ValueError(
            f"{name!r} must be an array of {np.dtype(dtype)} and shape {shape}, "
            f"got {arrays.describe(array)}"
        )
    return array
