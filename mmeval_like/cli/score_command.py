"""`score`: the results of one system as a table, as files, and as an exit code."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from mmeval_like._base.keys import WHOLE
from mmeval_like._core.result import Result
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli import report
from mmeval_like.cli.accounts import reasons_without_rows, without_account
from mmeval_like.cli.errors import MISSED
from mmeval_like.cli.lock import read_lock, write_lock
from mmeval_like.cli.ranks import on_ranks
from mmeval_like.cli.recorded import recorded_score
from mmeval_like.cli.request import Request
from mmeval_like.cli.require import check_percentages, missed
from mmeval_like.cli.score import score
from mmeval_like.cli.terminal import tell

__all__ = ["score_command"]


def score_command(options: argparse.Namespace) -> int:
    """Score files, recompute the scores of logs, or write a lock; return the exit code.

    Raises:
        InputError: The input is wrong.
    """
    if not options.metric:
        from mmeval_like.cli.logs import score_logs

        return score_logs(options)
    if options.lock:
        write_lock(options)
        return 0
    if options.locked:
        options.require = [*options.require, *read_lock(options.locked)[0]["require"]]
    return on_ranks(options, _score)


def _score(
    options: argparse.Namespace, requests: Sequence[Request], backend: BaseDistBackend
) -> int:
    (request,) = requests
    speaks = backend.rank == 0
    folder = None if options.resume is None else Path(options.resume)
    results, total = (
        recorded_score(options, request, backend, folder)
        if request.recorded
        else score(request, backend, folder, options.quiet)
    )
    if speaks:
        if options.json:
            report.write_json(options.json, results if request.by else results[WHOLE])
        if options.csv:
            report.write_csv(options.csv, results, request.classes)
        if options.report:
            from mmeval_like.cli.each import each_sample

            values = without_account(results)
            whole = values if request.by else values[WHOLE]
            samples, classes = results[WHOLE]["samples"], request.classes or None
            found = Result(
                whole, samples, total.report, classes, total.intervals, (), total.accounts
            )
            shown = [name for text in options.show for name in text.split(",")]
            each, lost = each_sample([request], found.account, [values[WHOLE]], shown)
            report.write_page(options.report, total, found, options, [request], each, lost)
        if not options.quiet:
            printed = "-" in (options.json, options.csv)
            intervals = total.intervals if request.by else {WHOLE: total.intervals}
            report.print_table(results, request.classes, intervals, bool(request.by), printed)
    numbers = report.numbers_by_name(results, request.classes)
    numbers = reasons_without_rows(request, results) | numbers
    absent = [name for name, number in numbers.items() if number == -1 and request.annotations]
    if absent and speaks and not options.quiet:
        tell(f"-1 of {', '.join(absent)}: the annotations have no such objects")
    check_percentages(
        request.conditions, {one.name: one.metric.ranges for one in total.plan.places()}
    )
    lines = missed(
        request.conditions, {k: [v] for k, v in numbers.items()}
    )  # the same on every rank
    for line in lines if speaks else ():
        tell(line)
    return MISSED if lines else 0
