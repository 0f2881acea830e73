"""Laws of the memory that sums share: one user at a time."""

import signal
from threading import Thread

import numpy as np
import pytest

from mmeval_like._exact import scratch as module
from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._exact.scratch import Scratch


def test_who_asks_while_another_has_it_gets_other_memory():
    """Blocks that are taken at the same time do not overlap, and have the shapes asked for."""
    with Scratch((1000,)):
        pass  # there is something to share now
    with Scratch((3, 4), (5,)) as [first, second]:
        with Scratch((100,)) as [third]:
            assert not np.shares_memory(third, first)
            assert not np.shares_memory(third, second)
        assert not np.shares_memory(first, second)
        assert (first.shape, second.shape) == ((3, 4), (5,))


def test_what_is_kept_is_bounded():
    """Large blocks, and more than a few, are given back."""
    with Scratch((module._LARGEST + 1,)):
        pass
    nested = [Scratch((10,)) for _ in range(10)]
    for one in nested:
        one.__enter__()
    for one in nested:
        one.__exit__(None, None, None)
    assert len(module._kept) <= module._MOST
    assert all(block.size <= module._LARGEST for block in module._kept)


def table_of_sums(numbers):
    """Sums and products of the numbers, by both ways that need memory."""
    total = ExactSum((5,))
    total.add(np.stack([numbers] * 5, axis=1))
    total.add_pieces([(range(5), np.stack([numbers, numbers[::-1]]))])
    return total


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_a_signal_handler_and_threads_may_sum_in_between():
    """Sums that are interrupted by others, and sums of several threads, stay exact."""
    numbers = np.random.default_rng(0).normal(size=3000)
    others = 3.0 + np.random.default_rng(1).normal(size=2000) * 1e9
    oracle, between, found = table_of_sums(numbers), table_of_sums(others), []

    def handler(*_):
        found.append(table_of_sums(others) == between)

    def in_thread():
        found.append(all(table_of_sums(others) == between for _ in range(50)))

    before = signal.signal(signal.SIGALRM, handler)
    thread = Thread(target=in_thread)
    thread.start()
    try:
        for delay in np.random.default_rng(2).uniform(1e-5, 2e-4, 200).tolist():
            signal.setitimer(signal.ITIMER_REAL, delay)  # once, in the middle of the sums
            assert table_of_sums(numbers) == oracle
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        thread.join()
    assert len(found) > 1
    assert all(found)
