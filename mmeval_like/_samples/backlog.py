"""The unfolded rows of a rank: batches that wait to be folded, and joined blocks."""

from __future__ import annotations

import numpy as np

from mmeval_like._samples.checked_rows import CheckedRows
from mmeval_like._states.rows import Rows
from mmeval_like.arrays.accelerator import is_device

__all__ = ["Backlog"]

# More rows wait on an accelerator than the states ask for, so that few kernels are launched and
# the host fetches few results.
_DEVICE_BLOCK_BYTES = 8 << 20


class Backlog:
    """A rank's batches in the order of their arrival.

    Batches wait until they have many bytes. Then their owner settles the oldest batches: it
    folds their rows, or joins them into a block if every row is needed.

    Args:
        block: How many bytes of new batches are folded (or joined) at once.

    Attributes:
        block: The same number; it may be changed.
        batches: The waiting batches.
    """

    def __init__(self, block: int) -> None:
        self.block = block
        self.batches: list[CheckedRows] = []
        self._blocks: list[CheckedRows] = []  # joined batches, for states that need every row
        self._nbytes = 0  # the bytes of the waiting batches
        self._known = 0  # the bytes that waited when `push` last returned True, or in `settled`

    def snapshot(self) -> Backlog:
        """Return a copy, which does not change when batches are pushed here."""
        twin = Backlog(self.block)
        twin._nbytes, twin._known = self._nbytes, self._known
        twin.batches, twin._blocks = self.batches.copy(), self._blocks.copy()
        return twin

    def mark(self) -> tuple[int, int, int, int]:
        """Return what `restore` needs."""
        return len(self.batches), len(self._blocks), self._nbytes, self._known

    def restore(self, mark: tuple[int, int, int, int]) -> None:
        """Undo what was pushed or added since `mark`."""
        batches, blocks, self._nbytes, self._known = mark
        del self.batches[batches:], self._blocks[blocks:]

    def push(self, batch: CheckedRows) -> bool:
        """Keep a batch; return whether the oldest ones should now be settled."""
        self.batches.append(batch)
        self._nbytes += batch.nbytes
        new = self._nbytes - self._known
        if new <= self.block:
            return False
        if new < _DEVICE_BLOCK_BYTES and any(map(is_device, batch.rows.values())):
            return False
        # The owner may have to leave some batches waiting: ask again only after `block` new bytes.
        self._known = self._nbytes
        return True

    def before(self, rows: int) -> int:
        """Return how many of the oldest batches are entirely before the last `rows` rows."""
        number, count = len(self.batches), 0
        while number and count < rows:
            number -= 1
            count += self.batches[number].count
        return number

    def settled(self, number: int, joined: CheckedRows) -> Backlog:
        """Return a backlog in which a block of their rows replaces the oldest `number` batches."""
        twin = Backlog(self.block)
        twin.batches, twin._blocks = self.batches[number:], self._blocks.copy()
        twin._nbytes = self._nbytes - sum([batch.nbytes for batch in self.batches[:number]])
        twin._known = twin._nbytes
        twin.add_block(joined)
        return twin

    def add_block(self, joined: CheckedRows) -> None:
        """Keep a block of rows, after the other blocks and before the waiting batches."""
        if joined.rows:
            self._blocks.append(joined)

    def rows(self, name: str) -> list[Rows]:
        """Return the kept rows of a state, in pieces."""
        pieces = []
        for block in self._blocks:
            if name in block.rows:
                pieces.append(block.rows[name])
        for batch in self.batches:
            pieces.append(batch.rows[name])
        return pieces

    def ids(self) -> list[np.ndarray]:
        """Return the ids of all rows, in pieces; no pieces if the rows have no ids."""
        return [kept.ids for kept in (*self._blocks, *self.batches) if kept.ids is not None]
