"""What the ranks compute together from values that are not gathered, as a state that deals sees it.

A state provides keys, which say what rows belong together, and totals of a rank's rows, which can
be added up. The exchange decides which rank gets which rows, and sends them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

__all__ = ["Below", "Groups", "Partition", "Ranks", "Run", "Table"]

Below = Callable[[int, np.ndarray], np.ndarray]
"""Returns, for a column and values (n,), how many numbers of this rank are below each value."""


class Run(NamedTuple):
    """Entries of one column, in ascending order of their keys.

    Attributes:
        column: The column, from 0 on.
        cell: The cell of the totals to which the entries belong.
        label: The label under which the receiving rank finds the entries.
        keys: float32 or float64 (n,) without nan and -0.0, of one dtype on all ranks.
        arrays: The arrays to send, (n, ...) each; equal in number and dtypes in a rank's runs.

    Example:
        >>> run = Run(0, 0, 0, np.array([0.1, 0.5]), [np.array([1, 0])])
        >>> run.keys.tolist(), [column.tolist() for column in run.arrays]
        ([0.1, 0.5], [[1, 0]])
    """

    column: int
    cell: int
    label: int
    keys: np.ndarray
    arrays: Sequence[np.ndarray]


class Table(NamedTuple):
    """Rows that are sent to one rank for each group.

    Attributes:
        groups: The group of each row.
        cut: Returns the named arrays to send, given the places of some rows.

    Example:
        >>> scores = np.array([0.9, 0.1, 0.5])
        >>> table = Table(np.array([0, 1, 0]), lambda places: {"scores": scores[places]})
        >>> table.cut(np.array([0, 2]))["scores"].tolist()
        [0.9, 0.5]
    """

    groups: np.ndarray
    cut: Callable[[np.ndarray], Mapping[str, np.ndarray]]


class Partition(Protocol):
    """Columns of concatenated runs, divided into a share for every rank.

    Equal keys of a column are in one share.

    Example:
        >>> def counted(partition: Partition) -> np.ndarray:
        ...     ones = lambda run, places: (len(run.keys) - places)[:, None]
        ...     return partition.totals(ones, cells=1, width=1)
    """

    def totals(
        self,
        measure: Callable[[Run, np.ndarray], np.ndarray],
        cells: int,
        width: int,
        settle: Callable[[np.ndarray], Any] | None = None,
    ) -> np.ndarray:
        """Return the totals of all ranks in every column, int64 (columns, cells, width).

        Args:
            measure: Returns the totals of a run from some places to its end, (places, width).
            cells: The number of cells.
            width: The number of values in a total.
            settle: Makes the values of this rank's totals, (..., width), small enough to be added.
        """

    def above(self, column: int) -> np.ndarray | None:
        """Return the totals of the entries after this rank's share, if it ends in this column."""

    def share(self) -> Callable[[], dict[int, list[Sequence[np.ndarray]]]]:
        """Send every rank its share of the entries, which are used up.

        Returns:
            A function that returns the arrays from all ranks by label; call it in a work.
        """


class Groups(Protocol):
    """Groups of rows; each group is evaluated by one rank.

    Example:
        >>> def brought(groups: Groups, mine: Table) -> list:
        ...     return groups.meet(lambda: [mine])()
    """

    @property
    def mine(self) -> Sequence[np.ndarray]:
        """This rank's groups of each table, ascending."""

    def meet(self, tables: Callable[[], Sequence[Table]]) -> Callable[[], list[list[Any]]]:
        """Bring the rows of each group together.

        Args:
            tables: Returns this rank's rows of every table.

        Returns:
            A function that returns, by table and rank, the arrays received for this rank's groups;
            call it in a work.
        """

    def collect(
        self,
        evaluate: Callable[[], Sequence[np.ndarray]],
        join: Callable[[list[tuple[Sequence[np.ndarray], np.ndarray]]], Any],
    ) -> None:
        """Evaluate this rank's groups, and join all ranks' arrays where the outcome is computed.

        Args:
            evaluate: Returns arrays of float64.
            join: Takes, for each rank, its groups of every table and its concatenated arrays.
        """


class Ranks(Protocol):
    """The ranks that take part, and what they do together.

    What a rank computes before a message is passed as a function `work`: if it raises on one rank,
    all ranks raise, and none waits for another.

    Example:
        >>> def deal(folded, wanted, ranks: Ranks):  # a method of a state that deals
        ...     return ranks.total(lambda: np.array([len(folded())]), 1)
        >>> class Alone:
        ...     def total(self, work, length):
        ...         return work()
        >>> deal(lambda: [0.5, 1.5], frozenset(), Alone()).tolist()
        [2]
    """

    @property
    def first(self) -> bool:
        """Whether this rank does the work that only one rank does."""

    def refuse(self, error: Exception) -> NoReturn:
        """Raise an error that every rank raises, since every rank knows its reason."""

    def gathered(self, work: Callable[[], Any]) -> list[Any]:
        """Return the small objects that the `work` of every rank returns, by rank."""

    def total(self, work: Callable[[], np.ndarray], length: int) -> np.ndarray:
        """Return the sum of the int64 vectors of this length that `work` returns."""

    def numbers_at(
        self, below: Below, sizes: np.ndarray, places: Sequence[np.ndarray], dtype: np.dtype
    ) -> list[np.ndarray]:
        """Return, for each column, the numbers at some places of all ranks' sorted numbers.

        Args:
            below: Counts this rank's numbers, which have no nan.
            sizes: The number of all ranks' numbers in every column.
            places: The places by column, from 0 on; the same on every rank.
            dtype: The dtype of the numbers, float32 or float64; the same on every rank.
        """

    def smallest(self, ascending: np.ndarray, places: Sequence[int]) -> list[float]:
        """Return the numbers at these places of all ranks' sorted numbers.

        Args:
            ascending: This rank's sorted numbers without nan, float32 or float64 on all ranks.
            places: Places from 0 on, each below the number of all numbers; the same on every rank.
        """

    def partition(self, work: Callable[[], Sequence[Run]], columns: int) -> Partition:
        """Divide the entries of all ranks into shares that are as even as equal keys permit.

        Args:
            work: Returns this rank's runs.
            columns: The number of columns, the same on every rank.
        """

    def grouped(self, sizes: Sequence[np.ndarray]) -> Groups:
        """Divide groups of rows so that the ranks evaluate nearly equal numbers of rows.

        Args:
            sizes: By table, the number of all ranks' rows in each group; the same on every rank.
        """

    def repeated(self, keys: np.ndarray) -> np.ndarray:
        """Return the distinct keys, int64, that occur more than once among those of all ranks."""
