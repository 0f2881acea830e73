"""What the command does for the ranks that it starts."""

import socket
from contextlib import ExitStack

from mmeval_like.cli.launch import _reserved_port


def test_the_port_of_the_ranks_is_given_to_nobody_else():
    """As long as a port is reserved the system hands it out to no program that asks for any port.

    Ports come at random from a range of about 28,000: without the reservation 1 of 56 programs
    that ask would be given one of these.
    """
    with ExitStack() as stack:
        reserved = {stack.enter_context(_reserved_port()) for _ in range(500)}
        given = set()
        for _ in range(1000):
            with socket.socket() as program:
                program.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)  # as gRPC does
                program.bind(("127.0.0.1", 0))
                given.add(program.getsockname()[1])

    assert len(reserved) == 500
    assert not reserved & given
