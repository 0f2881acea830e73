"""`gate --log`: the earlier candidates on the same samples, and the level left for the next one."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like._core.together import together
from mmeval_like._samples.ids import read_ids
from mmeval_like._verdicts.repeated import allowed_level
from mmeval_like._verdicts.verdict import Verdict
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import blaming
from mmeval_like.cli.readers.inspection import inspect_all
from mmeval_like.cli.request import Request
from mmeval_like.cli.sides import counted, hashes_of_rows, row_digests
from mmeval_like.tables.guess import is_truth

__all__ = ["Entry", "GateLog", "samples_digest"]

_OUTCOMES = ("pass", "fail", "undecided")
_TEXTS = ("time", "key", "samples", "candidate", "outcome")


@dataclass(frozen=True)
class Entry:
    """A candidate, and its place among those that answer the same question on the same samples.

    Attributes:
        question: What is asked: the metric, the bound, the level, slices and clusters.
        samples: The digest of the samples.
        candidate: The digest of the judged files, and of the columns that are read.
        turn: The number of this candidate, from 1 on. The same candidate keeps its number.
        level: The level at which it is judged.
        others: The number of candidates on other samples.
        with_ids: Whether ids name the samples. Without, others may be the same in another order.
    """

    question: Mapping[str, Any]
    samples: str
    candidate: str
    turn: int
    level: float
    others: int = 0
    with_ids: bool = True

    def __str__(self) -> str:
        digits = max(4, 1 + math.ceil(-math.log10(1 - self.level)))
        text = f"{_nth(self.turn)} candidate on these samples, level {self.level:.{digits}f}"
        order = "" if self.with_ids else " or in another order: --ids tells which"
        return f"{text} ({self.others} on other samples{order})" if self.others else text


class GateLog:
    """The verdicts in a file, one JSON object in each line.

    Every rank constructs it and calls its methods; rank 0 reads and writes.

    Args:
        path: The file. It is created by the first verdict.
        backend: The backend of the exchange.

    Raises:
        InputError: A line is damaged; the error names it.
    """

    def __init__(self, path: str, backend: BaseDistBackend) -> None:
        self.path, self._backend = path, backend
        self._size, self._lines = together(
            backend, lambda: _read(path) if backend.rank == 0 else (0, [])
        )[0]

    def entry(
        self,
        question: Mapping[str, Any],
        key: str | None,
        samples: str,
        candidate: str,
        level: float,
        with_ids: bool,
    ) -> Entry:
        """Return the place of a candidate.

        Args:
            question: As in `Entry`.
            key: The key of the number; None: the metric has only one.
            samples: As in `Entry`.
            candidate: As in `Entry`.
            level: The level for a single candidate.
            with_ids: Whether ids name the samples, and not their places.
        """
        alike = [
            line
            for line in self._lines
            if line["question"] == question and key in (None, line["key"])
        ]
        turn = _turn([x["candidate"] for x in alike if x["samples"] == samples], candidate)
        others = {x["candidate"] for x in alike if x["samples"] != samples}
        level = allowed_level(level, turn)
        return Entry(question, samples, candidate, turn, level, len(others), with_ids)

    def append(self, entry: Entry, key: str, verdict: Verdict, account: Mapping[str, Any]) -> None:
        """Append a verdict as one line.

        Args:
            entry: The candidate.
            key: The key of the number.
            verdict: The verdict.
            account: How many samples have a score, and why the others have none; empty: all have.

        Raises:
            InputError: The file cannot be written, or another gate has written to it since it was
                read.
        """
        one = verdict.interval
        line = {
            "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "question": dict(entry.question),
            "key": key,
            "samples": entry.samples,
            "candidate": entry.candidate,
            "turn": entry.turn,
            "level": repr(entry.level),
            "value": repr(one.value),
            "low": repr(one.low),
            "high": repr(one.high),
            "outcome": verdict.outcome,
            **account,
        }
        together(self._backend, lambda: self._write(line) if self._backend.rank == 0 else None)

    def _write(self, line: Mapping[str, Any]) -> None:
        written = f"{json.dumps(line)}\n".encode()
        with blaming(self.path):
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            file = os.open(self.path, flags, 0o666)
            try:
                if os.fstat(file).st_size != self._size:
                    raise InputError(
                        f"--log {self.path}: another gate has written to it, and may have judged "
                        f"another candidate: run this gate again"
                    )
                os.write(file, written)  # in one piece, so that a line is whole or missing
                os.fsync(file)
            finally:
                os.close(file)


def samples_digest(requests: Sequence[Request], backend: BaseDistBackend) -> str:
    """Return a digest of the ids and labels of the samples; every rank must call it.

    It does not depend on predictions, on the names of columns, on the ranks, or, with ids, on the
    order of the rows, on how often they are repeated, and on which of the systems lacks a sample.

    Args:
        requests: The requests of one system, or of several on the same samples.
        backend: Carries the messages.

    Raises:
        InputError: A file cannot be read.
    """
    request = requests[-1]
    truths = {one: names for one, names in sorted(request.columns.items()) if is_truth(one)}
    columns = [name for names in truths.values() for name in names] + [*request.equal]
    keys = [] if request.ids is None else [request.ids]
    found = [_hashes(one, columns, keys, backend) for one in requests]
    whole = counted(np.unique(np.concatenate(found)))
    # Columns may be called otherwise in another file.
    told = [(argument, len(names)) for argument, names in truths.items()], request.equal, len(keys)
    return hashlib.sha256(repr((told, whole.tolist())).encode()).hexdigest()


def _hashes(
    request: Request, columns: Sequence[str], keys: Sequence[str], backend: BaseDistBackend
) -> np.ndarray:
    """Return the hashes of the samples of one system that differ, on every rank.

    Args:
        request: The request of the system.
        columns: The columns that all systems share.
        keys: The column of the ids; none if the samples are named by their rows.
        backend: Carries the messages.
    """
    wanted = [*dict.fromkeys([*columns, *keys])] or request.needed()[:1]  # at least their number
    inspect_all(request.tables, request.needed(), request.texts, request.keys(), backend)
    units = [*enumerate(request.units())][backend.rank :: backend.world_size]

    def read() -> dict[int, tuple[list[np.ndarray], list[np.ndarray]]]:
        found = {}
        for number, (file, start, stop) in units:
            table, ids, digests = request.tables[file], [], []
            with blaming(table.path):
                for batch in table.read(start, stop, wanted):
                    count = len(batch.columns[wanted[0]])
                    digests.append(row_digests([batch.columns[name] for name in columns], count))
                    ids += [read_ids(batch.columns[name], count) for name in keys]
            found[number] = ids, digests
        return found

    own: dict[int, tuple[list[np.ndarray], list[np.ndarray]]] = {}
    told = together(backend, lambda: own.update(read()) or _counts(own))
    counts = {number: count for of_rank in told for number, count in of_rank.items()}
    starts = [0, *accumulate(counts[number] for number in range(len(counts)))]

    def hashed() -> np.ndarray:
        found = [np.empty(0, np.uint64)]
        for number, (ids, digests) in own.items():
            rows = np.concatenate([np.empty(0, np.uint64), *digests])
            places = np.arange(starts[number], starts[number] + len(rows))
            found.append(hashes_of_rows(np.concatenate(ids) if ids else places, rows))
        return np.unique(np.concatenate(found))

    return np.concatenate(together(backend, hashed))


def _counts(own: Mapping[int, tuple[Sequence[np.ndarray], Sequence[np.ndarray]]]) -> dict[int, int]:
    return {number: sum(map(len, digests)) for number, (_, digests) in own.items()}


def _turn(known: Sequence[str], candidate: str) -> int:
    """Return the number of a candidate among those before it, in order of their first verdict."""
    order = [*dict.fromkeys([*known, candidate])]
    return order.index(candidate) + 1


def _nth(number: int) -> str:
    """Return an ordinal number.

    Example:
        >>> [_nth(number) for number in (1, 2, 3, 11, 22)]
        ['1st', '2nd', '3rd', '11th', '22nd']
    """
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _read(path: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the size of a log, and its lines; 0 and none if there is no file yet."""
    if not Path(path).exists():
        return 0, []
    with blaming(path):
        content = Path(path).read_bytes()
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(content.splitlines(keepends=True), 1):
        line = _parsed(text)
        wrong = "it is not a whole verdict of `gate --log`"
        if line is not None:
            group = [
                one["candidate"]
                for one in lines
                if all(one[name] == line[name] for name in ("question", "samples", "key"))
            ]
            turn = _turn(group, line["candidate"])
            wrong = f"it says turn {line['turn']}, and the lines before it make it turn {turn}"
        if line is None or line["turn"] != turn:
            raise InputError(f"--log {path}: line {number} is damaged: {wrong}")
        lines.append(line)
    return len(content), lines


def _parsed(text: bytes) -> dict[str, Any] | None:
    """Return a line of a log; None if it is not one."""
    try:
        found = json.loads(text.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not text.endswith(b"\n"):
        return None
    whole = all(isinstance(found.get(name), str) for name in _TEXTS)
    whole = whole and isinstance(found.get("question"), dict) and type(found.get("turn")) is int
    return found if whole and found["outcome"] in _OUTCOMES else None
