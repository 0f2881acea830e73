"""Checking a law on all ranks: each rank makes all calls, then all exchange their findings."""

from __future__ import annotations

import reprlib
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.errors import SyncTimeoutError
from mmeval_like.testing.same import same

__all__ = ["Findings", "Unsupported", "check_on_all_ranks"]

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = 200


class Unsupported(NotImplementedError):
    """A law needs a feature that the backend lacks; raised on every rank, before any call."""


class Findings:
    """The breaches of a law that one rank found.

    A rank that stopped at its first finding would leave the others waiting in the next
    collective, so only the loss of a rank raises.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []

    def expect(self, kept: Any, breach: str) -> None:
        """Note a breach, once, unless the law was kept."""
        if not kept and breach not in self.texts:
            self.texts.append(breach)

    def same(self, what: str, expected: Any, call: Callable[..., Any], *args: Any) -> None:
        """Note a call that does not return the expected value, including types and dtypes."""
        try:
            actual = call(*args)
        except SyncTimeoutError:
            raise
        except Exception:
            self.texts.append(f"{what}: raised\n{traceback.format_exc()}")
        else:
            if not same(expected, actual):
                text = f"expected {_repr.repr(expected)}, got {_repr.repr(actual)}"
                self.texts.append(f"{what}: {text}{_lost_byte_order(expected, actual)}")

    def raises(
        self, what: str, kind: type[Exception], call: Callable[..., Any], *args: Any
    ) -> None:
        """Note a call that does not raise the expected exception."""
        try:
            actual = call(*args)
        except SyncTimeoutError:
            raise
        except kind:
            return
        except Exception:
            text = f"{what}: raised an error other than {kind.__name__}\n{traceback.format_exc()}"
            self.texts.append(text)
        else:
            self.texts.append(f"{what}: returned {_repr.repr(actual)}, no {kind.__name__}")


def check_on_all_ranks(
    name: str, law: Callable[[BaseDistBackend, Findings], None], backend: BaseDistBackend
) -> None:
    """Check a law, and report the findings of all ranks on every rank.

    Raises:
        AssertionError: The law is broken, on this or another rank.
        Unsupported: The law needs a feature that the backend lacks.
    """
    findings = Findings()
    try:
        law(backend, findings)
    except (SyncTimeoutError, Unsupported):
        raise
    except Exception:
        findings.texts.append(traceback.format_exc())
    try:
        found = dict(enumerate(backend.all_gather_object(findings.texts)))
    except SyncTimeoutError:
        raise
    except Exception:
        findings.texts.append(f"the ranks cannot agree:\n{traceback.format_exc()}")
        found = {}
    found[backend.rank] = findings.texts
    if any(found.values()):
        raise AssertionError(f"the backend fails the check {name!r}:\n{_list(found)}")


def _lost_byte_order(expected: Any, actual: Any) -> str:
    """Return advice if arrays arrived in another byte order, otherwise ""."""
    if isinstance(expected, list) and isinstance(actual, list):
        return next(filter(None, map(_lost_byte_order, expected, actual)), "")
    if isinstance(expected, np.ndarray) and isinstance(actual, np.ndarray):
        order = expected.dtype.byteorder
        if actual.dtype != expected.dtype and actual.dtype.newbyteorder(order) == expected.dtype:
            return (
                "; the byte order was lost, as in pickles of protocol 4, which "
                "multiprocessing's Connection.send writes: send pickle.dumps(obj, protocol=5)"
            )
    return ""


def _list(found: Mapping[int, list[str]]) -> str:
    return "\n".join(f"on rank {rank}: {text}" for rank, texts in found.items() for text in texts)
