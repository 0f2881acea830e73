"""What the programs of lost ranks are told by their environment."""

from tests.helpers.pace import patient


def environment(timeout: float = 3) -> dict[str, str]:
    """The secret of zmq's ranks, and for how many seconds a backend waits for a rank."""
    return {"MMEVAL_LIKE_SECRET": "a secret of the tests", "TIMEOUT": str(patient(timeout))}
