"""What the tests of several files here need."""

import sys

import pytest

from mmeval_like._base.launchers import LAUNCHERS
from mmeval_like.backends import launched, registry
from mmeval_like.backends.records import RECORDS
from tests.backends.zmq_groups import VARIABLES


@pytest.fixture
def no_launcher(monkeypatch):
    """An environment without the place of a process."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def a_fresh_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test registers into copies, without any launcher's variables."""
    for name in ("_registry", "_instances"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))
    monkeypatch.setattr(registry, "_default", None)
    monkeypatch.setattr(launched, "_warned", False)
    for launcher in LAUNCHERS:
        monkeypatch.delenv(launcher.size, raising=False)


@pytest.fixture
def only_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Act as a program that has imported no communication library."""
    for record in RECORDS.values():
        monkeypatch.delitem(sys.modules, record.loaded, raising=False)
