"""What the ranks do together with values that no rank has all of, as a state that deals sees it.

A state offers keys and totals: which rows belong together, and what a rank makes of its rows that
can be added up. Which rank gets which rows, and how they travel, is the affair of the exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

__all__ = ["Below", "Groups", "Partition", "Ranks", "Run", "Table"]

Below = Callable[[int, np.ndarray], np.ndarray]
"""Returns how many numbers of this rank, in a column, are below each of some values (n,)."""


class Run(NamedTuple):
    """Entries of one column, in ascending order of their keys.

    Attributes:
        column: The column, from 0 on.
        cell: Of which totals they are.
        label: By which they are found again where they arrive.
        keys: float32 or float64 (n,) without nan and -0.0, of one dtype on all ranks.
        arrays: What travels, (n, ...) each; as many arrays in every run of a rank, of equal dtypes.

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
        cut: Returns, for some rows, given by their places, the named arrays that travel.

    Example:
        >>> scores = np.array([0.9, 0.1, 0.5])
        >>> table = Table(np.array([0, 1, 0]), lambda places: {"scores": scores[places]})
        >>> table.cut(np.array([0, 2]))["scores"].tolist()
        [0.9, 0.5]
    """

    groups: np.ndarray
    cut: Callable[[np.ndarray], Mapping[str, np.ndarray]]


class Partition(Protocol):
    """Columns of concatenated runs; every rank has a share of them.

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
        """Return what all ranks have in every column, int64 (columns, cells, width).

        Args:
            measure: Returns what a run has from each of some places on, (places, width).
            cells: The number of cells.
            width: How many numbers a total is.
            settle: Makes the numbers of this rank's totals, (..., width), small enough to be added.
        """

    def above(self, column: int) -> np.ndarray | None:
        """Return what `totals` found behind this rank's share, where it ends in this column."""

    def share(self) -> Callable[[], dict[int, list[Sequence[np.ndarray]]]]:
        """Deal the entries, which are used up.

        Returns:
            What returns the arrays of each label that any rank sent; call it in a work.
        """


class Groups(Protocol):
    """Groups of rows, each of which one rank evaluates.

    Example:
        >>> def brought(groups: Groups, mine: Table) -> list:
        ...     return groups.meet(lambda: [mine])()
    """

    @property
    def mine(self) -> Sequence[np.ndarray]:
        """By table, this rank's groups, ascending."""

    def meet(self, tables: Callable[[], Sequence[Table]]) -> Callable[[], list[list[Any]]]:
        """Bring the rows of each group together.

        Args:
            tables: Returns this rank's rows of every table.

        Returns:
            What returns, by table and rank, the arrays that came of this rank's groups; call it in
            a work.
        """

    def collect(
        self,
        evaluate: Callable[[], Sequence[np.ndarray]],
        join: Callable[[list[tuple[Sequence[np.ndarray], np.ndarray]]], Any],
    ) -> None:
        """Evaluate this rank's groups, and join what all ranks made where the outcome is computed.

        Args:
            evaluate: Returns arrays of float64.
            join: Is given, by rank, its groups of every table, and its arrays end to end.
        """


class Ranks(Protocol):
    """The ranks that take part, and what they do together.

    What each rank does before it meets the others is handed in as `work`: if that raises on one
    rank, all of them raise, and none waits for another.

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
        """Whether this rank does what is done once."""

    def refuse(self, error: Exception) -> NoReturn:
        """Raise an error that all ranks raise, since all know its reason."""

    def gathered(self, work: Callable[[], Any]) -> list[Any]:
        """Return what every rank's work returns, a small object, by rank."""

    def total(self, work: Callable[[], np.ndarray], length: int) -> np.ndarray:
        """Return the sum of the vectors of int64 of this length that the works return."""

    def numbers_at(
        self, below: Below, sizes: np.ndarray, places: Sequence[np.ndarray], dtype: np.dtype
    ) -> list[np.ndarray]:
        """Return, by column, the numbers at some places of all ranks' numbers in ascending order.

        Args:
            below: Counts this rank's numbers, which have no nan.
            sizes: How many numbers every column has on all ranks.
            places: By column, from 0 on; the same on every rank.
            dtype: That of the numbers, float32 or float64; the same on every rank.
        """

    def smallest(self, ascending: np.ndarray, places: Sequence[int]) -> list[float]:
        """Return the numbers at these places of all ranks' numbers in ascending order.

        Args:
            ascending: Those of this rank, float32 or float64, without nan; of one dtype everywhere.
            places: From 0 on, each less than how many there are in all; the same on every rank.
        """

    def partition(self, work: Callable[[], Sequence[Run]], columns: int) -> Partition:
        """Divide the entries of all ranks into shares that are as even as equal keys permit.

        Args:
            work: Returns this rank's runs.
            columns: The number of columns, the same on every rank.
        """

    def grouped(self, sizes: Sequence[np.ndarray]) -> Groups:
        """Divide groups of rows so that every rank evaluates nearly as many rows.

        Args:
            sizes: By table, how many rows each group has on all ranks; the same on every rank.
        """

    def repeated(self, keys: np.ndarray) -> np.ndarray:
        """Return the keys, int64, that occur more than once on all ranks; each once."""
