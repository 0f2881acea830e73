"""A metric that is saved and read with little memory: ``memory_program.py FOLDER``."""

import os
import sys

import numpy as np

import mmeval_like as mm
from tests.distributed.memory_program import lift_limit, limit_memory

ROOMS = [1, 3, 5, 7, 9, 12, 16, 60]  # MiB


def scores(seed):
    """A metric of many scores, which are kept."""
    rng, metric = np.random.default_rng(seed), mm.AUROC()
    metric.add(rng.random(300_000), rng.integers(0, 2, 300_000))
    return metric


def attempt(work, room):
    """Return whether `work` ended well in a process that can take so many MiB more."""
    child = os.fork()
    if child == 0:
        limit_memory(room << 20)
        try:
            code = work()
        except MemoryError:
            code = 1
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 1), code
    return code == 0


def main(folder):
    """Save, read and convert to bytes and back; compare the results."""
    os.chdir(folder)
    metric, other = scores(1), scores(2)
    alone, both = metric.compute(), (metric + other).compute()
    other.save("other")
    data = other.to_bytes()

    def check(work, after):
        try:
            found = work()
        except MemoryError:
            lift_limit()
            assert metric.compute() == alone
            raise
        lift_limit()
        assert (found or metric).compute() == after
        return 0

    works = {
        "save": lambda: check(lambda: metric.save("saved"), alone),
        "load": lambda: check(lambda: metric.load(["other"]), both),
        "to_bytes": lambda: check(lambda: mm.AUROC().from_bytes(metric.to_bytes()), alone),
        "from_bytes": lambda: check(lambda: metric.from_bytes(data), other.compute()),
    }
    for name, work in works.items():
        with open("saved", "wb") as file:
            file.write(b"old")
        print(name, [attempt(work, room) for room in ROOMS[:-1]], attempt(work, ROOMS[-1]))
        assert sorted(os.listdir()) == ["other", "saved"]


if __name__ == "__main__":
    main(sys.argv[1])
