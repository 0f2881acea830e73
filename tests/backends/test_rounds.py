"""The ragged all-to-all: part r of every rank arrives on rank r, in as many rounds as it takes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import RemoteError, SyncTimeoutError
from mmeval_like.backends import rounds
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.testing import LocalWorld
from tests.helpers.examples import examples


@st.composite
def tables(draw):
    """What every rank sends to every rank."""
    ranks = draw(st.integers(1, 4))
    row = st.lists(st.binary(max_size=20), min_size=ranks, max_size=ranks)
    return draw(st.lists(row, min_size=ranks, max_size=ranks))


@given(table=tables(), members_only=st.booleans(), round_=st.sampled_from([1, 7, 1 << 20]))
@settings(max_examples=examples(60))
def test_it_transposes_in_rounds_of_any_size(table, members_only, round_):
    """Rounds of one byte, of a few and of all bytes, by a native all-to-all and by gathers."""
    world = LocalWorld(len(table), members_only=members_only)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rounds, "ROUND", round_)
        arrived = world.run(lambda backend: backend.all_to_all_bytes(table[backend.rank]))

    found = [[bytes(part) for part in parts] for parts in arrived]
    assert found == [list(column) for column in zip(*table, strict=True)]


def test_a_round_has_a_bounded_size(monkeypatch):
    """A rank passes at most so many bytes in one call, whatever it sends."""
    monkeypatch.setattr(rounds, "ROUND", 100)
    sizes, places = [], set()

    def swap(sent, counts, room, lengths):
        assert (sent.size, room.size) == (sum(counts), sum(lengths))
        sizes.append((sent.size, room.size))
        places.add((sent.ctypes.data, room.ctypes.data))
        return rounds.cut(sent, counts)

    lengths = [0, 1000, 30]
    received, found = rounds.in_rounds([bytes(n) for n in lengths], 3, swap)

    assert (len(received), found) == (1030, lengths)
    head, *others = sizes
    assert head == (48, 48)
    assert len(others) == 31
    assert max(max(pair) for pair in others) <= 100
    assert len(places) == 2  # of the announcement, and of all rounds, which allocate none


@given(longest=st.integers(0, 1 << 40), ranks=st.integers(1, 1 << 25))
@settings(max_examples=examples(100))
def test_a_round_takes_little_beside_the_part(longest, ranks):
    """Of the longest part a quarter, but 64 KiB at least; to all ranks together 8 MiB at most."""
    step = rounds.piece_bytes(longest, ranks)

    assert 1 <= step <= max(1 << 16, (longest + 3) // 4)
    assert step == 1 or step * ranks <= 1 << 23
    fills = (step + 1) * ranks > 1 << 23  # a larger piece has no room in the round
    assert fills or (step >= 1 << 16 and 4 * step >= longest)


@pytest.mark.parametrize("members_only", [False, True])
@pytest.mark.parametrize("bad", [[b""], [b"", b"", 5], [b"", b"", np.ones((2, 2)).T[::-1]]])
def test_parts_that_are_no_buffers_raise_on_every_rank(members_only, bad):
    """The rank that gave them gets the error, the others hear of it, and the group goes on."""
    world = LocalWorld(3, members_only=members_only)

    def exchange(backend):
        error = (TypeError, ValueError) if backend.rank == 1 else RemoteError
        with pytest.raises(error) as raised:
            backend.all_to_all_bytes(bad if backend.rank == 1 else [b"good"] * 3)
        assert backend.rank == 1 or raised.value.ranks == [1]
        return [bytes(part) for part in backend.all_to_all_bytes([b"again"] * 3)]

    assert world.run(exchange) == [[b"again"] * 3] * 3


@pytest.mark.parametrize("members_only", [False, True])
def test_a_rank_that_does_not_come_is_named(members_only):
    """The others get the error of any collective."""
    world = LocalWorld(3, members_only=members_only)

    with pytest.raises(SyncTimeoutError, match="no answer from rank 2"):
        world.run(lambda b: b.all_to_all_bytes([b""] * 3) if b.rank < 2 else None)


def test_a_process_alone_gets_its_own_part():
    """It is a copy, which can be written."""
    given_ = bytearray(b"mine")

    [mine] = NonDist().all_to_all_bytes([given_])

    memoryview(mine)[0] = 0
    assert (given_, bytes(mine)) == (b"mine", b"\0ine")


@pytest.mark.parametrize("members_only", [False, True])
def test_a_rank_without_room_takes_part_to_the_end(members_only, monkeypatch):
    """It gets the error after the last round; the others have what was sent to them."""
    monkeypatch.setattr(rounds, "ROUND", 9)
    world, room_for = LocalWorld(3, members_only=members_only), rounds._room_for

    def no_room(size):
        if size == 3 * 10:
            raise MemoryError("no room for that")
        return room_for(size)

    monkeypatch.setattr(rounds, "_room_for", no_room)

    def exchange(backend):
        parts = [b"01234", b"0123456789", b"01"]  # the second rank gets thirty
        if backend.rank == 1:
            with pytest.raises(MemoryError, match="no room for that"):
                backend.all_to_all_bytes(parts)
        else:
            found = backend.all_to_all_bytes(parts)
            assert [bytes(part) for part in found] == [parts[backend.rank]] * 3
        return [bytes(part) for part in backend.all_to_all_bytes([b"again"] * 3)]

    assert world.run(exchange) == [[b"again"] * 3] * 3
