"""An exception at the n-th line of an exchange, and ranks whose messages carry no names."""

import linecache
import sys
from pathlib import Path

import numpy as np

import mmeval_like
from mmeval_like.backends.base import OPERATIONS
from mmeval_like.backends.rounds import cut
from mmeval_like.backends.slot_line import SlotLine
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.local_world import _Local

PACKAGE = str(Path(mmeval_like.__file__).parent)
HERE = tuple(f"{PACKAGE}/{name}" for name in ("_exchange", "_samples/locked", "_samples/store"))


class Alarm(TimeoutError):
    """What the handler of a signal raises: an ordinary exception."""


class Interrupting:
    """Within this block the n-th line of the exchange that this thread comes to raises.

    The end of a `with` statement is no such line, and neither is `try:`. Python handles no signal
    between a block and the release of a lock of C, and none where it executes nothing.

    Attributes:
        lines: How many lines were come to.
    """

    def __init__(self, n, error=Alarm, here=HERE):
        self.n, self.error, self.here, self.lines = n, error, here, 0
        self._last = {}

    def __enter__(self):
        sys.settrace(self._called)
        return self

    def __exit__(self, *error):
        sys.settrace(None)

    def _called(self, frame, event, arg):
        return self._traced if frame.f_code.co_filename.startswith(self.here) else None

    def _traced(self, frame, event, arg):
        if event != "line":
            return self._traced
        line, before = frame.f_lineno, self._last.get(id(frame), 0)
        self._last[id(frame)] = line
        text = linecache.getline(frame.f_code.co_filename, line).lstrip()
        if (text.startswith("with ") and before > line) or text.startswith("try:"):
            return self._traced
        self.lines += 1
        if self.lines == self.n:
            sys.settrace(None)
            raise self.error
        return self._traced


class LooseWorld(LocalWorld):
    """A world as MPI's: messages match by their order alone, whatever they were sent for."""

    def __init__(self, size):
        super().__init__(size, timeout=20)
        self.backends = [_Loose(self, rank) for rank in range(size)]

    def exchange(self, rank, name, value):
        """Return what every rank brought, under whatever name."""
        return super().exchange(rank, "a message", value)


class _KeptLine(SlotLine):
    """A line with memory that every exchange of its rank uses, as torch's."""

    def __init__(self, backend):
        super().__init__(backend.world_size, backend.all_gather_bytes)
        self.busy = False
        self._slots = [memoryview(bytearray(self.size)) for _ in range(self.ranks)]

    def exchange(self, slot):
        for mine, received in zip(self._slots, super().exchange(slot), strict=True):
            mine[:] = received
        return self._slots

    def free(self):
        self.busy = False


class _Loose(_Local):
    _line = None

    def slot_line(self):
        if self._line is None or self._line.busy:
            self._line = _KeptLine(self)
        self._line.busy = True
        return self._line

    def all_gather_bytes(self, data):
        return [_fit(part, len(data)) for part in self._world.exchange(self._rank, "", data)]

    def broadcast_bytes(self, data, length, src=0):
        return _fit(self._world.exchange(self._rank, "", data)[src], length)

    def all_to_all_pieces(self, sent, counts, room, lengths):
        pieces = [piece.tobytes() for piece in cut(sent, counts)]
        found = self._world.exchange(self._rank, "", pieces)
        mine = [part[self._rank] if isinstance(part, list) else part for part in found]
        return [_fit(part, length) for part, length in zip(mine, lengths, strict=True)]

    def reduce_flat(self, array, op, dst):
        found = self._world.exchange(self._rank, "", array.tobytes())
        arrays = [np.frombuffer(_fit(part, array.nbytes), array.dtype) for part in found]
        total = arrays[0]
        for other in arrays[1:]:
            total = OPERATIONS[op](total, other)
        return np.array(total)

    def _received(self, data, length):
        return _fit(data, length)


def _fit(part, length):
    """The bytes that fit; as those of a buffer into which another message was received."""
    data = b"".join(part) if isinstance(part, list) else bytes(part or b"")
    return bytearray(data[:length].ljust(length, b"\1"))
