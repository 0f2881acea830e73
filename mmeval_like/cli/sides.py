"""The rows of two systems: read by all ranks, matched by id or row by row, and checked."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from mmeval_like._base.mixing import mixed
from mmeval_like._core.evaluation import emptied, samples_of
from mmeval_like._core.paired import Paired
from mmeval_like._core.reasons import chosen, chosen_named
from mmeval_like._core.together import together
from mmeval_like._samples.ids import read_ids, shown
from mmeval_like._samples.parts import Part
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.found_classes import find_classes
from mmeval_like.cli.quantiles import as_floats, find_ranges
from mmeval_like.cli.readers import blaming
from mmeval_like.cli.readers.inspection import inspect_all
from mmeval_like.cli.readers.log_files import LogTable
from mmeval_like.cli.request import Request
from mmeval_like.cli.row_order import check_order
from mmeval_like.cli.score import add_batch, own_share
from mmeval_like.cli.unchanged import unchanged
from mmeval_like.tables.guess import is_truth
from mmeval_like.tables.unscored import ABSENT

__all__ = ["counted", "hashes_of_rows", "read_sides", "row_digests"]

_NAMED = 10  # the number of ids in an error
_ID = "id"  # rows with other ids in both systems are not the same samples
_WIDE = 64  # numbers in a row; longer rows are hashed as bytes


@dataclass
class _Share:
    """The rows of one system that one rank read.

    Attributes:
        parts: For every piece of work its number, its samples for each slot of the metric, and the
            digests of what the systems share: labels, weights, and the values that define slices
            and clusters.
        texts: Ids that are long strings, by the hash that the exchange uses for them.
    """

    parts: list[tuple[int, list[Part], np.ndarray]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def ids(self) -> np.ndarray:
        """The ids of all rows."""
        firsts = [parts[0] for _, parts, _ in self.parts]
        found = [part.ids for part in firsts if part.ids is not None and part.count]
        return np.concatenate(found) if found else np.empty(0, np.int64)

    def digests(self) -> np.ndarray:
        """The digests of all rows."""
        return np.concatenate([np.empty(0, np.uint64), *(digests for _, _, digests in self.parts)])


def read_sides(
    requests: Sequence[Request],
    make: Callable[[], Paired],
    backend: BaseDistBackend,
    quiet: bool,
    names: bool,
) -> tuple[Paired, dict[str, str]]:
    """Return a pair with the rows of both systems; every rank must make the call.

    Where a rule says what samples without a score count as, a sample that only one system has is
    one of the other, for the reason "absent".

    Args:
        requests: The requests of systems a and b.
        make: Returns a pair without samples; called when the classes are known.
        backend: The backend of the exchange.
        quiet: Show no progress.
        names: Whether ids that are long strings are requested.

    Returns:
        The pair, and this rank's ids of b that are long texts, by what `pair` knows of them.

    Raises:
        InputError: The files do not have the same samples; on rank 0; the others raise RemoteError.
    """
    shares: list[_Share] = []
    together(backend, partial(_check_columns, *requests))
    if requests[0].ids is None:
        together(backend, lambda: check_order(*requests) if backend.rank == 0 else None)
    tables = [table for request in requests for table in request.tables]
    keys = requests[0].keys()
    if _has_ids(requests):
        requests = [replace(request, equal=(*request.equal, _ID)) for request in requests]
        keys = [*keys, _ID]
        for table in tables:
            table.gaps = (*table.gaps, _ID)
    with unchanged(requests, backend):
        needed = dict.fromkeys(name for request in requests for name in request.needed())
        texts = frozenset[str]().union(*(request.texts for request in requests))
        inspect_all(tables, [*needed], texts, keys, backend)
        find_classes(requests, backend, quiet)
        pair = make()
        sliced_by = list(dict.fromkeys(name for family in requests[0].by for name in family))
        ranges = find_ranges(tables, sliced_by, requests[0].ids, backend)
        for request, side in zip(requests, (pair.a, pair.b), strict=True):
            request.ranges.update(ranges)
            share = _Share()
            shares.append(share)
            told = together(backend, partial(_read, request, side, share, quiet, names))
            if request.ids is None:
                counts = {unit: count for of_rank in told for unit, count in of_rank.items()}
                starts = [0, *accumulate(counts[unit] for unit in range(len(counts)))]
                for unit, parts, _ in share.parts:
                    for part in parts:
                        part.ids = part.ids + starts[unit] if part.ids is not None else None
    lacking = _check_same(requests, shares, backend)
    if any(lacking):
        with unchanged(requests, backend):
            for ids, other, share, side in zip(
                lacking, reversed(requests), shares, (pair.a, pair.b), strict=True
            ):
                # Their labels, slices and clusters are in the files of the other system.
                together(backend, partial(_read, other, side, share, True, names, ids))
    for share, side in zip(shares, (pair.a, pair.b), strict=True):
        for _, parts, _ in share.parts:
            samples_of(side).merge(parts)
    return pair, shares[1].texts


def _has_ids(requests: Sequence[Request]) -> bool:
    """Return whether all files have a column that may contain ids, which nothing else reads."""
    used = {name for request in requests for name in request.needed()}
    tables = [table for request in requests for table in request.tables]
    known = all(table.columns.count(_ID) == 1 for table in tables)
    return requests[0].ids is None and known and _ID not in used


def _check_columns(a: Request, b: Request) -> None:
    """Raise InputError if an argument has other columns in the files of b than in those of a."""
    for argument, of_a in a.columns.items():
        of_b = b.columns.get(argument, of_a)
        if of_a != of_b:
            raise InputError(
                f"{argument} are in the column {', '.join(of_a)!r} of A, but {', '.join(of_b)!r} "
                f"of B: rename one of them, so that the names are equal, or name a column that "
                f"both have with --column {argument}=COLUMN"
            )


def _read(
    request: Request,
    side: Any,
    share: _Share,
    quiet: bool,
    names: bool,
    absent: frozenset[Any] | None = None,
) -> dict[int, int]:
    """Read this rank's pieces of one system; return the number of rows of each.

    Args:
        request: The request whose files are read.
        side: The evaluation of the system.
        share: What this rank read of it.
        quiet: Show no progress.
        names: Whether ids that are long strings are requested.
        absent: The ids of the samples that are added, without a score; None: all are.
    """
    backend, counts = side.dist_comm, {}
    units = list(enumerate(request.units()))
    with own_share(units, backend, quiet) as mine:
        for number, (file, start, stop) in mine:
            table, current = request.tables[file], emptied(side)
            digests = [np.empty(0, np.uint64)]
            rows = 0
            with blaming(table.path):
                for batch in table.read(start, stop, request.needed()):
                    places = request.places(table, batch)
                    arguments = request.arguments(batch)
                    if absent is not None:
                        arguments, places = _absent(arguments, places, absent)
                        if not places["unscored"]:
                            continue
                    count = min(map(len, arguments.values()))
                    ids = places.setdefault("ids", np.arange(rows, rows + count))
                    if names and isinstance(ids, list):
                        known = zip(map(str, shown(read_ids(ids, count))), ids, strict=True)
                        share.texts.update((key, text) for key, text in known if key != text)
                    add_batch(request, current, table, batch, arguments, places)
                    rows += count
                    if absent is not None:  # they were compared before
                        continue
                    shared = [v for name, v in arguments.items() if is_truth(name)]
                    shared += [
                        as_floats(batch.columns[name]) if name in request.ranges else column
                        for name, column in places.get("by", {}).items()
                    ]
                    shared += [places["clusters"]] if "clusters" in places else []
                    shared += [batch.columns[name] for name in request.equal]
                    digests.append(row_digests(shared, count))
            share.parts.append((number, samples_of(current).parts(), np.concatenate(digests)))
            counts[number] = rows
    return counts


def _absent(
    arguments: Mapping[str, Any], places: Mapping[str, Any], ids: frozenset[Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return only the samples with some ids, all without a score."""
    own = [*shown(read_ids(places["ids"], len(places["ids"])))]
    which = np.array([one in ids for one in own], bool)
    found = {
        name: chosen_named(value, which) if name == "by" else chosen(value, which)
        for name, value in places.items()
    }
    return chosen_named(arguments, which), {**found, "unscored": [ABSENT] * int(which.sum())}


def _check_same(
    requests: Sequence[Request], shares: Sequence[_Share], backend: BaseDistBackend
) -> list[frozenset[Any]]:
    """Return the ids that a and b lack, which are none unless a rule says what they count as.

    Raises:
        InputError: The systems do not have the same samples, with the same labels; on rank 0.
    """
    # Sums of hashes of id and digest do not depend on the order. Rows are sent only if the sums
    # differ.
    told = together(
        backend, lambda: [sum_of_rows(share.ids(), share.digests()) for share in shares]
    )
    a, b = (np.sum([of_rank[side] for of_rank in told], 0, dtype=np.uint64) for side in (0, 1))
    if (a == b).all():
        return [frozenset(), frozenset()]
    every = together(backend, lambda: [(share.ids(), share.digests()) for share in shares])
    sides = [[of_rank[side] for of_rank in every] for side in (0, 1)]
    found = together(backend, lambda: _lacking(requests[0], sides) if backend.rank == 0 else [])
    return found[0]


def _lacking(
    request: Request, sides: Sequence[Sequence[tuple[np.ndarray, np.ndarray]]]
) -> list[frozenset[Any]]:
    """Return the ids that a and b lack; see `_check_same`.

    Repeated rows do not count as differences.
    """
    found = []
    for side in sides:
        ids = [i for of_rank, _ in side if len(of_rank) for i in shown(of_rank)]
        digests = np.concatenate([digests for _, digests in side]).tolist()
        found.append(dict(zip(reversed(ids), reversed(digests), strict=True)))
    a, b = found
    names = [*filter(is_truth, request.columns), *dict.fromkeys(sum(request.by, ()))]
    names += [] if request.cluster is None else [request.cluster]
    shared = " or ".join([*names, *request.equal])
    if request.ids is None and len(a) != len(b):
        raise InputError(
            f"A has {len(a)} rows and B has {len(b)}: without --ids both must have the same rows, "
            f"in the same order"
        )
    lacking = [frozenset(b.keys() - a.keys()), frozenset(a.keys() - b.keys())]
    where = "the logs" if isinstance(request.tables[0], LogTable) else f"--ids {request.ids}"
    if any(lacking) and (request.unscored is None or request.refuses):
        only_b, only_a = (sorted(ids, key=repr)[:_NAMED] for ids in lacking)
        raise InputError(
            f"{where}: both must have the same samples; only A has {only_a}, and only "
            f"B has {only_b} (at most ten are named): {len(a.keys() & b.keys())} are in both, "
            f"{len(lacking[1])} in A only, {len(lacking[0])} in B only; --unscored drop leaves "
            f"the others out, a number such as 0 is their score in the system that lacks them, "
            f"and bounds is from the worst to the best that they may be"
        )
    different = [i for i in a.keys() & b.keys() if a[i] != b[i]]
    if different and request.ids is None:
        advice = f"; --ids {_ID} matches them by their ids" if _ID in request.equal else ""
        raise InputError(
            f"row {min(different)}, counted from 0, differs in {shared}: without --ids both must "
            f"have the same rows, in the same order{advice}"
        )
    if different:
        raise InputError(
            f"{where}: the samples {sorted(different, key=repr)[:_NAMED]} differ in "
            f"{shared} (at most ten are named)"
        )
    return lacking


def row_digests(columns: Iterable[Any], count: int) -> np.ndarray:
    """Return a 64-bit hash of every row of several columns."""
    found = np.zeros(count, np.uint64)
    for column in columns:
        numbers = _numbers(column)
        if numbers is not None and math.prod(numbers.shape[1:]) <= _WIDE:
            for flat in numbers.reshape(count, math.prod(numbers.shape[1:])).T:
                found = mixed(found ^ _as_floats(flat).view(np.uint64))
                lost = _lost_bits(flat)
                found = np.where(lost > 0, mixed(found ^ lost), found) if lost.any() else found
            continue
        written = [_written(entry) for entry in column]
        hashes = [hashlib.blake2b(row, digest_size=8).digest() for row in written]
        found = mixed(found ^ np.frombuffer(b"".join(hashes), np.uint64))
    return found


def _numbers(values: Any) -> np.ndarray | None:
    """Return values as an array; None if they are not numbers, or differ in shape."""
    try:
        found = np.asarray(values)
    except ValueError:
        return None
    return found if found.dtype.kind in "biuf" else None


def _as_floats(numbers: np.ndarray) -> np.ndarray:
    """Return numbers as floats: formats differ in what they make of a column of labels."""
    return np.ascontiguousarray(numbers, np.float64) + 0.0  # -0 is 0


def _lost_bits(numbers: np.ndarray) -> np.ndarray:
    """Return, as uint64, what floats may lose of large numbers; 0 for all numbers below 2^53."""
    sizes = np.abs(numbers.astype(np.float64))
    found = np.zeros(numbers.shape, np.uint64)
    large = (sizes >= 2**53) & np.isfinite(sizes)
    if large.any():  # integers of 8 bits have no 4096
        found[large] = np.mod(numbers[large], 4096)  # exact; floats below 2^64 lose at most 11 bits
    return found


def _written(entry: Any) -> bytes:
    if isinstance(entry, str):
        return entry.encode("utf-8", "surrogatepass")
    numbers = _numbers(entry)
    if numbers is not None:
        lost = _lost_bits(numbers)
        tail = lost.tobytes() if lost.any() else b""
        return repr(numbers.shape).encode() + _as_floats(numbers).tobytes() + tail
    return json.dumps(entry, default=_plain).encode()


def _plain(cell: Any) -> Any:
    """Return a value that JSON lacks, such as a date, as one that it has."""
    return cell.tolist() if isinstance(cell, np.ndarray) else str(cell)


def sum_of_rows(ids: np.ndarray, digests: np.ndarray) -> np.ndarray:
    """Return the number of rows, and an order-free sum of ids and digests, modulo 2^64."""
    return counted(hashes_of_rows(ids, digests))


def hashes_of_rows(ids: np.ndarray, digests: np.ndarray) -> np.ndarray:
    """Return a 64-bit hash of the id and the digest of every row."""
    found = digests
    for words in ids.reshape(len(ids), ids.ndim).T:  # texts have two words each
        found = mixed(found ^ words.astype(np.uint64))
    return found


def counted(hashes: np.ndarray) -> np.ndarray:
    """Return the number of hashes, and their sum modulo 2^64."""
    return np.array([len(hashes), hashes.sum(dtype=np.uint64)], np.uint64)
