"""The laws of a communication backend, to be checked on every rank of a live world."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.testing.array_laws import ARRAY_LAWS
from mmeval_like.testing.bytes_laws import BYTES_LAWS, PARTS, PARTS_LAWS
from mmeval_like.testing.findings import check_on_all_ranks
from mmeval_like.testing.object_laws import IDENTITY, OBJECT_LAWS

__all__ = ["backend_laws", "check_backend"]


def backend_laws() -> dict[str, Callable[[BaseDistBackend], None]]:
    """Return the laws of a backend by name.

    Every rank must call the same law at the same time. A law returns if it holds, and otherwise
    raises on every rank: AssertionError if the backend breaks it, NotImplementedError if the
    backend lacks the feature.

    Example:
        >>> from mmeval_like.testing import LocalWorld
        >>> law = backend_laws()["all_gather_object: rank order"]
        >>> LocalWorld(2).run(law)
        [None, None]
    """
    laws = OBJECT_LAWS | BYTES_LAWS | ARRAY_LAWS | PARTS_LAWS
    return {name: partial(check_on_all_ranks, name, law) for name, law in laws.items()}


def check_backend(backend: BaseDistBackend) -> None:
    """Check all laws; every rank of the world must call this function.

    Raises:
        AssertionError: Laws are broken; the text says which, on which ranks, and how.
        SyncTimeoutError: A rank was lost.

    Example:
        >>> from mmeval_like.testing import LocalWorld
        >>> LocalWorld(2).run(check_backend)
        [None, None]
    """
    broken: list[str] = []
    for name, law in backend_laws().items():
        if broken and name == PARTS:
            break  # many calls: after a failed one, the other ranks would wait forever
        try:
            law(backend)
        except NotImplementedError:
            continue
        except AssertionError as error:
            broken.append(str(error))
            if name == IDENTITY:
                break  # the other laws rely on these ranks
    if broken:
        raise AssertionError("\n\n".join(broken))
