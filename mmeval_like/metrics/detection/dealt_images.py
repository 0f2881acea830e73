"""Selects the images that count if no single rank has the images of all ranks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics.detection.images import MIXED, NO_ID
from mmeval_like.metrics.detection.runs import begins_of_runs, lengths_of_runs
from mmeval_like.writing import Ragged, Results, Rows, take
from mmeval_like.writing.dealing import Ranks

__all__ = ["OwnImages", "own_images"]


@dataclass(frozen=True)
class OwnImages:
    """This rank's images.

    Attributes:
        results: The states of this rank's rows.
        rows: The rows that count, ascending; None: all. An image counts on one rank.
        keys: The sort keys that order the images of all ranks: one for each row that counts, int64.
        differing: The number of images of all ranks that were added more than once with different
            detections.
    """

    results: Results
    rows: np.ndarray | None
    keys: np.ndarray
    differing: int


def own_images(
    columns: Callable[[], Mapping[str, Rows]], places: Callable[[], np.ndarray], ranks: Ranks
) -> OwnImages:
    """Return this rank's images; for an image that was added more than once, the first copy counts.

    Args:
        columns: Returns the states of this rank's rows, including `image`.
        places: Returns the indices of these rows among the rows of all ranks, ascending.
        ranks: The ranks, all of which call this.

    Raises:
        ValueError: Some images have an identity and some have none.
    """
    held: list[Any] = []

    def settle() -> tuple[bool, bool]:
        states: Mapping[str, Any] = columns()
        known = states["image"] != NO_ID
        keys = states["image"] if known.any() else places()
        held.extend((keys, states, Results(states, len(keys))))
        return bool(known.any()), not known.all()

    with_id, without = (any(flags) for flags in zip(*ranks.gathered(settle), strict=True))
    if with_id and without:
        ranks.refuse(ValueError(MIXED))
    keys, states, results = held
    again = ranks.repeated(keys) if with_id else keys[:0]
    if not len(again):
        return OwnImages(results, None, keys, 0)

    def copies() -> tuple[np.ndarray, ...]:
        here = np.flatnonzero(np.isin(keys, again))
        return keys[here], places()[here], _digests([*states.values()], here)

    told = ranks.gathered(copies)
    rows: list[np.ndarray] = []

    def choose() -> int:
        first, differing = _first_copies(*map(np.concatenate, zip(*told, strict=True)))
        rows.append(np.flatnonzero(~np.isin(keys, again) | np.isin(places(), first)))
        return differing

    differing = ranks.gathered(choose)[0]
    return OwnImages(results, rows[0], keys[rows[0]], differing)


def _digests(columns: Sequence[Any], rows: np.ndarray) -> np.ndarray:
    """Return a digest of each row, uint8 (n, 16); rows with equal entries have equal digests."""
    hashes = [hashlib.blake2b(digest_size=16) for _ in rows]
    for column in columns:
        if isinstance(column, Ragged):
            chosen = take(column, rows)
            for row, entries in zip(hashes, chosen.split(), strict=True):  # type: ignore[union-attr]
                row.update(len(entries).to_bytes(8, "little") + entries.tobytes())
    data = b"".join([row.digest() for row in hashes])
    return np.frombuffer(data, np.uint8).reshape(-1, 16)


def _first_copies(
    ids: np.ndarray, places: np.ndarray, digests: np.ndarray
) -> tuple[np.ndarray, int]:
    """Return the index of each image's first copy, and how many images have differing copies."""
    order = np.lexsort((places, ids))
    begins = begins_of_runs(ids[order])
    first = np.repeat(order[begins], lengths_of_runs(begins, len(order)))
    other = (digests[order] != digests[first]).any(axis=1)
    return places[order[begins]], len(np.unique(ids[order[other]]))
