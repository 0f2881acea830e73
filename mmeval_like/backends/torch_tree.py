"""A small all-gather of gloo's ranks along a binomial tree: a message up, and one down."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

import torch

from mmeval_like.packing import Buffer
from mmeval_like.slot import slot_bytes

__all__ = ["Tree", "tree_of"]

_FIRST_TAG = 1 << 30  # the program's own messages hardly have such tags
_TAGS = 1 << 29  # of either kind; then they come again


class Tree:
    """This rank's place in the tree of a group's ranks, and the exchanges along it.

    Rank r's parent is r without its lowest bit, its children are r + 1, r + 2, r + 4, ... as long
    as these are below that bit. What all ranks have goes up to rank 0 and down again: 2 (P - 1)
    messages, where P (P - 1) go from every rank to every other. And no two ranks send to each
    other at once: gloo's thread that receives turns in a loop while the one that sends holds
    their connection, and where ranks share cores, that one waits milliseconds for a core.

    A rank that fails, since a neighbour is late or gone, tells its other neighbours, which tell
    theirs: all raise, and do not wait for their own timeouts. Children are looked at one after the
    other: that one is gone is found out when those before it have come.

    Args:
        rank: This rank's number in the group.
        ranks: How many there are.
        usual: The length of most data. A rank listens for the next message of this length as soon
            as it has the last one: what a message finds nobody waiting for has to ask first.
    """

    def __init__(self, rank: int, ranks: int, usual: int) -> None:
        lowest = rank & -rank or ranks
        steps = [1 << bit for bit in range(ranks.bit_length()) if 1 << bit < lowest]
        self.rank, self.ranks = rank, ranks
        self.parent = rank - lowest if rank else None
        self.children = [rank + step for step in steps if rank + step < ranks]
        self.upward = slice(rank, rank + lowest)  # this rank's, and those of its branches
        self._usual = usual
        self._counts = [0, 0]  # of exchanges: of another length, of the usual one
        self._kept: _Rows | None = None  # and receives what comes next
        # What failed exchanges began: gloo stops where it finds a message without its memory.
        self._begun: list[Any] = []

    def all_gather(self, data: Buffer, group: Any) -> list[memoryview]:
        """Return every rank's data, of one length, in rank order.

        Args:
            data: This rank's bytes.
            group: The process group that the tree is of.

        Raises:
            RuntimeError: What gloo says of a neighbour that is late or gone, or that a neighbour
                gave up.
        """
        size = len(data)
        usual = size == self._usual
        tag = self._tag(usual)
        self._counts[usual] += 1
        rows = self._kept if usual else None
        if rows is None:
            rows = _Rows(self, size)
        else:
            self._kept = None
        try:
            if not rows.receipts:
                self._listen(rows, tag, group)
            self._exchange(rows, data, tag, group)
        except BaseException:
            self._begun += [rows, *self._give_up(size, tag, group)]
            raise
        came = rows.of_all()
        if usual:
            try:
                self._listen(rows, self._tag(usual), group)
                self._kept = rows
            except RuntimeError:  # a child that is done may have left
                self._begun.append(rows)
        return came

    def _tag(self, usual: bool) -> int:
        """The next exchange's: nothing that a failed one left behind has it."""
        return _FIRST_TAG + self._counts[usual] % _TAGS * 2 + usual

    def _listen(self, rows: _Rows, tag: int, group: Any) -> None:
        rows.receipts = []
        for child, branch in rows.branches:
            rows.receipts.append((child, group.recv(branch, child, tag)))

    def _exchange(self, rows: _Rows, data: Buffer, tag: int, group: Any) -> None:
        rows.put(self.rank, data)
        for child, receipt in rows.receipts:
            receipt.wait()
            rows.check(child)
        if self.parent is not None:
            rows.asked = group.send(rows.upward, self.parent, tag)
            rows.reply = group.recv(rows.whole, self.parent, tag)
            rows.reply.wait()  # first: a parent that gave up answers, but may not have listened
            rows.check(self.parent)
            rows.asked.wait()
        # The longest way first.
        rows.replies = [group.send(rows.whole, child, tag) for child in self.children[::-1]]
        for message in rows.replies:
            message.wait()

    def _give_up(self, size: int, tag: int, group: Any) -> list[Any]:
        rows, begun = _Rows(self, size), []
        rows.mark(self.rank)
        messages = [(child, rows.whole) for child in self.children]
        if self.parent is not None:
            messages.append((self.parent, rows.upward))
        for neighbour, message in messages:
            with suppress(RuntimeError):  # it is the one that is gone
                begun.append(group.send(message, neighbour, tag))
        return begun


class _Rows:
    """A row for each rank: its data, and 8 bytes, not all 0 where the rank gave up."""

    def __init__(self, tree: Tree, size: int) -> None:
        self.size, self._status = size, -(-size // 8) * 8  # numpy is slow with numbers between
        self._step = self._status + 8
        rows = torch.zeros((tree.ranks, self._step), dtype=torch.uint8, device="cpu")
        self.whole = [rows]  # messages are lists of one tensor
        self.upward = [rows[tree.upward]]
        self.receipts: list[tuple[int, Any]] = []  # what torch has begun: from the children
        self.asked: Any = None  # to the parent
        self.reply: Any = None  # from it
        self.replies: list[Any] = []  # to the children
        self.branches = [(child, [rows[child : 2 * child - tree.rank]]) for child in tree.children]
        self._memory = memoryview(rows.numpy()).cast("B")

    def put(self, rank: int, data: Buffer) -> None:
        start = rank * self._step
        self._memory[start : start + self.size] = data

    def mark(self, rank: int) -> None:
        self._memory[rank * self._step + self._status] = 1

    def check(self, rank: int) -> None:
        if self._memory[rank * self._step + self._status]:
            raise RuntimeError(f"rank {rank} gave up: timeout, or a connection closed")

    def of_all(self) -> list[memoryview]:
        whole, size = memoryview(bytearray(self._memory)), self.size
        return [whole[start : start + size] for start in range(0, len(whole), self._step)]


_trees: WeakKeyDictionary[Any, Tree] = WeakKeyDictionary()


def tree_of(group: Any, rank: int, ranks: int) -> Tree:
    """Return the tree of a process group: one, however many backends use the group."""
    tree = _trees.get(group)
    if tree is None:
        tree = _trees[group] = Tree(rank, ranks, slot_bytes(ranks))
    return tree
