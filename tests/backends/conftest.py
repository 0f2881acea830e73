"""What the tests of several files here need."""

import pytest

from tests.backends.zmq_groups import VARIABLES


@pytest.fixture
def no_launcher(monkeypatch):
    """An environment without the place of a process."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
