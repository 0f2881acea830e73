"""The ids of a dataset that no rank has added."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._exchange.failures import raise_trouble, trace
from mmeval_like._exchange.group_lock import GroupLock, lock_of
from mmeval_like._samples.ids import INTEGERS, TEXTS, distinct, kind_of, missing_ids, missing_texts
from mmeval_like._samples.store import Store
from mmeval_like.arrays.checks import as_sample_count
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.errors import mixed_calls

__all__ = ["remaining_ids"]

_FAILED = "remaining() failed"
_NO_IDS, _NO_TEXTS = np.empty(0, np.int64), np.empty((0, 2), np.uint64)


def remaining_ids(
    stores: Sequence[Store], size: int | Sequence[str], backend: BaseDistBackend
) -> np.ndarray | list[str]:
    """Return the ids of a dataset that no rank has added; every rank must call it.

    Args:
        stores: This rank's rows of each distinct statistic.
        size: The number of samples, whose ids are 0 to size - 1; or the texts of all samples.
        backend: Carries the ids between the ranks.

    Raises:
        TypeError, ValueError: `size` is neither of these, or does not fit the ids.
        DisagreementError: Another rank called another method.
        RemoteError: Another rank could not collect its ids, for instance for lack of memory.
    """
    failure: Exception | None = None
    mine: np.ndarray | tuple[str, str] = _NO_IDS
    try:
        ids = [array for store in stores for array in store.backlog.ids()]
        mine = distinct(np.concatenate(ids))[0] if ids else _NO_IDS
    except Exception as error:  # the other ranks must be informed
        failure, mine = error, (_FAILED, trace(error))
    lock = lock_of(backend)
    gathered = lock.run(partial(_gathered, mine, backend, lock))
    failures = [told[1] if _failed(told) else None for told in gathered]
    if not all(_failed(told) or isinstance(told, np.ndarray) for told in gathered):
        raise mixed_calls()
    if any(failures):
        raise_trouble([(text, "") for text in failures], failure)
    found = [ids for ids in gathered if len(ids)]
    texts = arrays.as_texts(size, "size")
    kinds = {kind_of(ids) for ids in found}
    if kinds - {INTEGERS if texts is None else TEXTS}:
        raise TypeError(
            "remaining() takes the number of samples if ids are integers, and the names of "
            f"all samples if ids are strings, got {size!r:.50} for samples with "
            f"{' and '.join(sorted(kinds))}"
        )
    if texts is not None:
        return missing_texts(np.concatenate([_NO_TEXTS, *found]), texts)
    return missing_ids(np.concatenate([_NO_IDS, *found]), as_sample_count(size, "size"))


def _failed(told: Any) -> bool:
    """Return whether a rank reports a failure in `remaining`, rather than ids or another call."""
    return isinstance(told, tuple) and len(told) == 2 and str(told[0]) == _FAILED


def _gathered(
    mine: np.ndarray | tuple[str, str], backend: BaseDistBackend, lock: GroupLock
) -> list[Any]:
    lock.begin(lock.turn)
    gathered = backend.all_gather_object(mine)
    lock.end()
    return gathered
