"""The rows that a rank keeps one by one: batches that wait to be folded, and joined blocks."""

from __future__ import annotations

import numpy as np

from mmeval_like._samples.batches import Batch
from mmeval_like._states.rows import Rows
from mmeval_like.arrays.accelerator import is_device

__all__ = ["Backlog"]

# More rows wait on an accelerator than the states ask for, so that few kernels are launched and
# the host fetches few results.
_DEVICE_BLOCK_BYTES = 8 << 20


class Backlog:
    """A rank's batches in the order of their arrival.

    They wait until there are many bytes of them. Then their owner settles the oldest ones: it
    folds their rows, or joins them to a block where every row is needed.

    Args:
        block: This many bytes of new batches are worth folding (or joining) at once.

    Attributes:
        block: The same; it may be changed.
        batches: The batches that wait.
    """

    def __init__(self, block: int) -> None:
        self.block = block
        self.batches: list[Batch] = []
        self._blocks: list[Batch] = []  # joined batches, with the rows of ordered states alone
        self._nbytes = 0  # the bytes of the batches that wait
        self._known = 0  # the bytes of those that waited already when the owner last settled some

    def snapshot(self) -> Backlog:
        """Return the same batches, which stay when others are pushed or settled here."""
        twin = Backlog(self.block)
        twin._nbytes, twin._known = self._nbytes, self._known
        twin.batches, twin._blocks = self.batches.copy(), self._blocks.copy()
        return twin

    def push(self, batch: Batch) -> bool:
        """Keep a batch; return whether the oldest ones should now be settled."""
        self.batches.append(batch)
        self._nbytes += batch.nbytes
        new = self._nbytes - self._known
        if new <= self.block:
            return False
        if new < _DEVICE_BLOCK_BYTES and any(map(is_device, batch.rows.values())):
            return False
        # The owner may have to leave some batches waiting: only as many new bytes ask again.
        self._known = self._nbytes
        return True

    def before(self, rows: int) -> int:
        """Return the number of oldest batches that are entirely before the last rows."""
        number, count = len(self.batches), 0
        while number and count < rows:
            number -= 1
            count += self.batches[number].count
        return number

    def settle(self, number: int, joined: Batch) -> None:
        """Replace the oldest `number` batches by what they were joined to, if it has any rows."""
        self._nbytes -= sum([batch.nbytes for batch in self.batches[:number]])
        self._known = self._nbytes
        del self.batches[:number]
        self.add_block(joined)

    def add_block(self, joined: Batch) -> None:
        """Keep rows in one piece, behind the other blocks and before the batches that wait."""
        if joined.rows:
            self._blocks.append(joined)

    def rows(self, name: str) -> list[Rows]:
        """Return the rows of a state that are kept, in pieces."""
        pieces = []
        for block in self._blocks:
            if name in block.rows:
                pieces.append(block.rows[name])
        for batch in self.batches:
            pieces.append(batch.rows[name])
        return pieces

    def ids(self) -> list[np.ndarray]:
        """Return the ids of all rows, in pieces; none where the rows have no ids."""
        return [kept.ids for kept in (*self._blocks, *self.batches) if kept.ids is not None]
