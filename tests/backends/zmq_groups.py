"""Groups over ZeroMQ whose ranks are threads of the test."""

import socket
import threading
import time

from tests.helpers.pace import patient
from tests.helpers.spawn import free_port

SECRET = "a secret of the tests"
VARIABLES = ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "MMEVAL_LIKE_SECRET")


def group(size, *, timeout=20.0, port=None, **changes):
    """One backend per rank, as patient as the machine is slow; `changes`: arguments by rank."""
    port = port or free_port()
    from mmeval_like.backends.zmq import ZmqDist  # not every environment has it

    return [
        ZmqDist(
            "127.0.0.1",
            changes.get("ports", [port] * size)[index],
            changes.get("rank", range(size))[index],
            changes.get("world_size", [size] * size)[index],
            secret=changes.get("secret", [SECRET] * size)[index],
            timeout=patient(timeout),
        )
        for index in range(size)
    ]


def dial(port):
    """Connect as soon as somebody listens."""
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.01)


def together(functions):
    """Call the functions in a thread each; return what they returned or raised."""
    outcomes = [None] * len(functions)

    def work(index):
        try:
            outcomes[index] = functions[index]()
        except BaseException as error:
            outcomes[index] = error

    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patient(30))
    assert not any(thread.is_alive() for thread in threads)
    return outcomes


def on_all(ranks, method, *arguments):
    """Call a method on every rank at once."""
    return together([lambda rank=rank: getattr(rank, method)(*arguments) for rank in ranks])


def close(ranks):
    """Leave the group, one after the other."""
    for rank in ranks:
        rank.close()
