"""A backend over the pipes of multiprocessing, written from the page, in real processes."""

from tests.testing.pipes import Pipes, PlainPipes, SharingPipes, checked


def test_a_backend_over_pipes_passes():
    """The five members, pickles of protocol 5 and a copy on rank 0 are enough."""
    assert checked(Pipes, 3) == ["", "", ""]


def test_a_result_that_is_not_copied_is_named():
    """The error names the collectives that returned the sender's own object, once each."""
    texts = checked(SharingPipes, 2)
    assert texts[0] == texts[1]
    assert (
        texts[0].count(
            "on rank 0: a result of all_gather_object or broadcast_object is the object that this "
            "rank passed, or shares memory with it: return a copy on the sender too"
        )
        == 1
    )
    assert "on rank 0: results of all_gather, gather, scatter share memory" in texts[0]
    assert "on rank 1" not in texts[0]


def test_a_lost_byte_order_is_named():
    """The error says which pickle protocol keeps the byte order."""
    for text in checked(PlainPipes, 2):
        assert "dtype='>f8'" in text
        assert "the byte order was lost" in text
        assert "send pickle.dumps(obj, protocol=5)" in text
