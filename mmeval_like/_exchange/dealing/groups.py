"""Groups of rows: one rank evaluates each group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from mmeval_like._exchange.dealing.messages import Messages
from mmeval_like._states.dealing import Table
from mmeval_like.backends.wire.named import pack_named, unpack_named
from mmeval_like.backends.wire.packing import Buffer

__all__ = ["Grouped", "repeated_keys"]

_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: it scatters consecutive numbers


class Grouped:
    """The `Groups` of a group of ranks.

    The largest group is dealt first, each group to the rank with the fewest rows so far.
    Source: R. L. Graham, "Bounds on multiprocessing timing anomalies" (SIAM Journal on Applied
    Mathematics 17, 1969).

    Args:
        sizes: For each table, the number of rows of each group on all ranks.
        ranks: The ranks.
    """

    def __init__(self, sizes: Sequence[np.ndarray], ranks: Messages) -> None:
        self._ranks, self._tables = ranks, len(sizes)
        rows = np.concatenate([*sizes])
        owners, load = np.zeros(len(rows), np.min_scalar_type(ranks.size)), [0] * ranks.size
        for place in np.argsort(-rows, kind="stable").tolist():
            owners[place] = least = load.index(min(load))
            load[least] += int(rows[place]) + 1  # a group without rows still takes time
        self._owners = np.split(owners, np.cumsum([len(table) for table in sizes])[:-1])
        self.mine: Sequence[np.ndarray] = self._of(ranks.rank)

    def meet(self, tables: Callable[[], Sequence[Table]]) -> Callable[[], list[list[Any]]]:
        """Bring the rows of each group to one rank; return the function that reads them."""

        def parts() -> list[list[Buffer]]:
            pairs = zip(tables(), self._owners, strict=True)
            split = [self._split(table, owners) for table, owners in pairs]
            return [
                [piece for of_table in split for piece in pack_named(of_table[rank])]
                for rank in range(self._ranks.size)
            ]

        received, lengths = self._ranks.dealt(parts)

        def read() -> list[list[Any]]:
            found: list[list[Any]] = [[] for _ in range(self._tables)]
            for data in np.split(received, np.cumsum(lengths)[:-1]):
                offset = 0
                for met in found:
                    part, offset = unpack_named(data.data, offset)
                    met.append(part)
            return found

        return read

    def collect(
        self,
        evaluate: Callable[[], Sequence[np.ndarray]],
        join: Callable[[list[tuple[Sequence[np.ndarray], np.ndarray]]], Any],
    ) -> None:
        """Evaluate this rank's groups, and join the outcomes of all ranks on rank 0."""
        ranks = self._ranks

        def parts() -> list[list[Any]]:
            found = [array.reshape(-1).view(np.uint8) for array in evaluate()]
            return [found, *([] for _ in range(1, ranks.size))]

        received, lengths = ranks.dealt(parts)

        def joined() -> np.ndarray:
            if ranks.rank == 0:
                arrays = np.split(received.view(np.float64), np.cumsum(lengths)[:-1] // 8)
                join([(self._of(rank), array) for rank, array in enumerate(arrays)])
            return np.empty(0, np.int64)

        ranks.total(joined, 0)

    def _of(self, rank: int) -> list[np.ndarray]:
        return [np.flatnonzero(owners == rank) for owners in self._owners]

    def _split(self, table: Table, owners: np.ndarray) -> list[Any]:
        """Divide this rank's rows among the ranks, in their order."""
        to = owners.take(table.groups)
        order, numbers = np.argsort(to, kind="stable"), np.bincount(to, minlength=self._ranks.size)
        return [table.cut(rows) for rows in np.split(order, np.cumsum(numbers)[:-1])]


def repeated_keys(keys: np.ndarray, ranks: Messages) -> np.ndarray:
    """Return the keys that occur more than once on all ranks; equal keys are sent to one rank."""
    received, _ = ranks.dealt(partial(_scattered, keys, ranks.size))

    def repeated() -> np.ndarray:
        distinct, numbers = np.unique(received.view(np.int64), return_counts=True)
        return distinct[numbers > 1]

    return np.concatenate(ranks.gathered(repeated))


def _scattered(keys: np.ndarray, ranks: int) -> list[Any]:
    owners = (keys.astype(np.uint64) * _ODD >> np.uint64(32)) % np.uint64(ranks)
    return [keys[owners == rank] for rank in range(ranks)]
