"""`score` with a record: the same computation, after which the record is written."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.lock import hold
from mmeval_like.cli.records import hashing, make_record, write_record, write_state
from mmeval_like.cli.request import Request
from mmeval_like.cli.score import score
from mmeval_like.cli.unchanged import unchanged
from mmeval_like.records.recorded import Recorded

__all__ = ["recorded_score"]


def recorded_score(
    options: argparse.Namespace, request: Request, backend: BaseDistBackend, folder: Path | None
) -> tuple[dict[str, Any], Recorded]:
    """Score files, write the record and the state; return the results and their metrics.

    Raises:
        InputError: The data is wrong, or differs from the lock.
    """
    with unchanged([request], backend):  # so that the SHA-256 is that of the scored files
        begun = hashing(request, backend)
        found: Any = score(request, backend, folder, options.quiet)
        results, total = found
        record = make_record(request, total, backend, begun, {})
    if options.locked:
        record["made"]["lock"] = hold(options.locked, record["claim"])
    if options.record and backend.rank == 0:
        write_record(options.record, record)
    if options.state:
        write_state(options.state, request, total, backend)
    return results, total
