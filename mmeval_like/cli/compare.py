"""`compare`: the differences of two systems on the same samples, and their significance."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from mmeval_like._base.keys import WHOLE
from mmeval_like._core.paired import Paired
from mmeval_like._core.result import Result
from mmeval_like._core.sliced import Sliced
from mmeval_like._core.verdicts import verdicts
from mmeval_like._verdicts.sentences import interval_text
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli import report
from mmeval_like.cli.accounts import (
    refuse,
    said_of,
    unused_marks,
    with_pairs,
    without_account,
)
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.nan_cells import tell_nan_cells
from mmeval_like.cli.neighbours import tell_repeats
from mmeval_like.cli.ranks import on_ranks
from mmeval_like.cli.request import Request
from mmeval_like.cli.sides import read_sides
from mmeval_like.cli.terminal import shown, tell, write_out
from mmeval_like.reporting.differences import says

if TYPE_CHECKING:
    from mmeval_like.reporting.each import Each
    from mmeval_like.reporting.unscored import Lost

__all__ = ["compare", "named", "paired", "tell_doubts", "the_spec"]

_IDS = ("flips_up_ids", "flips_down_ids")


def compare(options: argparse.Namespace) -> int:
    """Compare two systems, and write the result; return the exit code.

    Raises:
        InputError: The input is wrong.
    """
    return on_ranks(options, _compare)


def _compare(
    options: argparse.Namespace, requests: Sequence[Request], backend: BaseDistBackend
) -> int:
    pair, values, texts = paired(options, requests, backend)
    tell_doubts(requests[0], values[WHOLE], backend, options.quiet)
    flips = [[texts.get(i, i) for i in values[WHOLE].pop(name, [])] for name in _IDS]
    if options.flips or options.report:
        flips = named(flips, texts, backend)
    if backend.rank > 0:
        return 0
    name = the_spec(requests[0]).text.partition(":")[0]
    results = {which: {name: found} for which, found in values.items()}
    if options.json:
        report.write_json(options.json, results if requests[0].by else results[WHOLE])
    if options.csv:
        report.write_csv(options.csv, results, [])
    if options.flips:
        lines = [(i, way) for ids, way in zip(flips, ("up", "down"), strict=True) for i in ids]
        report.write_lines(options.flips, ["id" if requests[0].ids else "row", "flip"], lines)
    if options.report:
        listed = {n: ids for n, ids in zip(_IDS, flips, strict=True) if "flips_up" in values[WHOLE]}
        every = without_account(values | {WHOLE: values[WHOLE] | listed})
        whole = every if requests[0].by else every[WHOLE]
        samples = values[WHOLE]["samples"]
        found = Result(whole, samples, pair.report, None, pair.intervals, (), pair.accounts)
        each, lost = _each(options, requests, every[WHOLE], found)
        report.write_page(options.report, pair, found, options, requests, each, lost)
    if not options.quiet:
        printed = "-" in (options.json, options.csv, options.flips)
        sliced = bool(requests[0].by)
        write_out(_page(name, pair, values, sliced, options.name or ("A", "B"), printed), printed)
    return 0


def _each(
    options: argparse.Namespace,
    requests: Sequence[Request],
    whole: Mapping[str, Any],
    found: Result,
) -> tuple[Each | None, list[Lost]]:
    """Return every sample with its scores, and the samples without a score, for the report."""
    from mmeval_like.cli.each import each_sample

    wanted = [
        {
            the_spec(request).text: {
                key.removesuffix(end): value for key, value in whole.items() if key.endswith(end)
            }
        }
        for request, end in zip(requests, ("_a", "_b"), strict=True)
    ]
    shown = [name for text in options.show for name in text.split(",")]
    return each_sample(requests, found.account, wanted, shown)


def the_spec(request: Request) -> Any:
    """Return the only metric of a request.

    Raises:
        InputError: The request has several metrics.
    """
    if len(request.specs) > 1:
        raise InputError("--metric: compare takes one metric at a time")
    return request.specs[0]


def paired(
    options: argparse.Namespace, requests: Sequence[Request], backend: BaseDistBackend
) -> tuple[Paired, dict[str, dict[str, Any]], dict[str, str]]:
    """Return the comparison of two systems, computed, and its values by slice.

    The third value is this rank's ids that are long strings, if flips are requested.

    Raises:
        InputError: The files do not have the same samples, or options conflict.
    """
    request = requests[0]
    if options.anytime != (options.planned is not None):
        raise InputError("--anytime and --planned N go together")
    if options.anytime and request.cluster is not None:
        raise InputError("--anytime does not support --cluster: give one row for each cluster")
    lists_flips = bool(options.flips or options.report) or options.broken is not None

    def make() -> Paired:
        metric = the_spec(request).make(request.dataset_meta, unscored=request.unscored)
        return Paired(
            Sliced(metric, request.by) if request.by else metric,
            interval=options.interval,
            correction=None if options.correction == "none" else options.correction,
            anytime=options.anytime,
            planned=options.planned,
            list_flips=lists_flips,
            dist_backend=backend,
        )

    the_spec(request)
    pair, texts = read_sides(requests, make, backend, options.quiet, lists_flips)
    with warnings.catch_warnings():  # the table marks thin intervals
        warnings.filterwarnings("ignore", "intervals that promise less", RuntimeWarning)
        warnings.filterwarnings("ignore", ".*; the others do not count")  # as the table says
        found = pair.compute()
    refuse(request, found)
    tell_nan_cells(found, requests, backend, options.quiet)
    accounts = found.accounts if request.by else {WHOLE: found.accounts}
    values = {
        which: with_pairs(one, None if accounts is None else accounts[which], request)
        for which, one in (found if request.by else {WHOLE: found}).items()
    }
    whole = values[WHOLE]
    if whole["samples"] and not any(name.endswith("_difference") for name in whole):
        raise InputError(
            f"--metric {request.specs[0].text}: its values are lists or tables, which are not "
            f"compared: ask for a mean of the classes, such as average=macro"
        )
    if options.flips and whole["samples"] and _IDS[0] not in whole:
        raise InputError(
            f"--flips needs a metric that scores each sample right or wrong, such as accuracy; "
            f"{request.specs[0].text} does not"
        )
    return pair, values, texts


def tell_doubts(
    request: Request, whole: Mapping[str, Any], backend: BaseDistBackend, quiet: bool
) -> None:
    """Print what may be wrong with a comparison of all samples: its rows, or its options.

    Args:
        request: The request of system A.
        whole: The values of all samples.
        backend: Says which rank this is.
        quiet: Print nothing.
    """
    if quiet or backend.rank:
        return
    remark = unused_marks(request.marks, whole.get("unscored", ()))
    if remark:
        tell(remark)
    tell_repeats(request)


def named(
    flips: list[list[Any]], texts: Mapping[str, str], backend: BaseDistBackend
) -> list[list[Any]]:
    """Return the ids; long strings that only other ranks know are fetched from them."""
    known = {i: texts[i] for ids in flips for i in ids if i in texts}
    everyone: dict[Any, str] = {}
    for of_rank in backend.all_gather_object(known):
        everyone |= of_rank
    return [[everyone.get(i, i) for i in ids] for ids in flips]


def _page(
    name: str,
    pair: Paired,
    values: Mapping[str, Any],
    sliced: bool,
    systems: Sequence[str],
    to_stderr: bool,
) -> str:
    """Return the table, and the lines below the table."""
    a, b = systems
    head = ["slice", "number", a, b, f"{b} - {a}", "interval", "p", "adjusted", "detectable"]
    head = [shown(one) for one in head]
    lines, below = [head], []
    every = [*verdicts(pair, values)]
    for of in every:
        one, found = of.interval, values[of.slice]
        cells = [of.slice, of.key, *of.values]
        cells += [
            "nan" if isnan(one.value) else f"{one.value:+.3g}",
            interval_text(one.low, one.high, one.thin, "+"),
        ]
        cells += [one.p, found.get(f"{of.key}_p_adjusted", ""), of.verdict.detectable]
        shorter = [f"{c:.3g}" if isinstance(c, float) else c for c in cells]
        lines.append([shown(str(cell)) for cell in shorter])
        if one.thin is not None:
            below.append(f"~ {f'{of.slice} ' * sliced}{of.key}: {one.thin}")
    lines = [line[:8] if sliced else line[1:7] + line[8:] for line in lines]
    for which, found in values.items():
        if "flips_up" in found:
            ways = f"{found['flips_up']} up, {found['flips_down']} down"
            below.append(f"flips{f' of {which}' * sliced}: {ways}")
    below += [
        f"{f'{which}: ' * sliced}{said_of(found, systems)}"
        for which, found in values.items()
        if found.get("unscored")
    ]
    if values[WHOLE].get("unscored") and values[WHOLE]["rule"] == "drop":
        below.append(
            "--unscored bounds says whether the samples that are left out change a verdict"
        )
    below += [f"{f'{of.slice}: ' * sliced}{name} {of.key}: {says(of, a, b)}" for of in every]
    table = report.drawn(lines, set(head[2:]), to_stderr)
    return table + "".join(f"{shown(line)}\n" for line in below)
