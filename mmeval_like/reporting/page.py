"""The report: one page with what was measured, the result, and its uncertainty."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timezone
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like._base.keys import WHOLE
from mmeval_like._base.optional import needed_for
from mmeval_like._core.evaluation import Evaluation
from mmeval_like.plots.bars import bars
from mmeval_like.plots.choice import pictures
from mmeval_like.plots.confusion import draw_confusions, draw_matrix
from mmeval_like.plots.dots import draw_dots
from mmeval_like.plots.reading import read
from mmeval_like.reporting.comparing import compare_story
from mmeval_like.reporting.each import Each
from mmeval_like.reporting.scoring import score_story
from mmeval_like.reporting.sections import command_text, duplicates, guide, measured
from mmeval_like.reporting.study import Study
from mmeval_like.reporting.svg import Drawn, Rules, draw_inline, variables
from mmeval_like.reporting.words import clipped, label_of, listed

__all__ = ["moment", "page", "report"]

_LONG = re.compile(r"[^\s\0]{21,}")  # a word that is too wide for a phone
_PIECE = re.compile(r"[^-_/.,=]{1,12}[-_/.,=]*|[-_/.,=]{1,12}")  # where it may be broken
_PICTURES = 12  # pictures on a page; more would make it long, and slow to write
_PICTURE_BYTES = 500_000  # the size of all pictures
# The page shows these pictures as tables with charts.
_TABLES = (bars, draw_dots)
_MATRICES = (draw_matrix, draw_confusions)


def report(
    metric: Evaluation,
    path: str | os.PathLike[str],
    result: Mapping[str, Any] | None = None,
    *,
    title: str = "",
    names: tuple[str, ...] = (),
    margin: float | None = None,
) -> None:
    """Write one HTML page about a result: the verdict, intervals, slices, and how to read them.

    The page needs no network and no other file, and has at most 1.5 MB: very long tables are cut,
    with a note. Texts of the data are shown literally, and never executed. The command line writes
    it with `--report`.

    Args:
        metric: The metric, collection, `Sliced`, `Paired` or `Recorded` that computes the result.
        path: The file to write. Rank 0 writes it.
        result: What `metric.compute()` returned; None: `report` calls `compute`, so that every rank
            must call `report`.
        title: The page's heading; by default the main result, such as "new is better than old by
            3.2 points".
        names: The names of the systems: one name, or for `Paired` two, for `a` and `b`.
        margin: For `Paired`: the largest difference, chosen before the evaluation, up to which the
            systems count as equivalent.

    Raises:
        ModuleNotFoundError: jinja2 or matplotlib is not installed:
            `pip install 'mmeval-like[report]'`.
        OSError: The file cannot be written.
        ValueError: The number of names differs from the number of systems, or the margin is not
            above 0.

    Example:
        >>> import os, tempfile
        >>> from mmeval_like import Accuracy
        >>> metric = Accuracy(interval=0.95)
        >>> metric.add([1] * 81 + [0] * 19, [1] * 100)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "report.html")
        ...     report(metric, path, names=("cats",))
        ...     with open(path, encoding="utf-8") as file:
        ...         text = file.read()
        >>> "is right on 81.0% of 100 samples" in text
        True
    """
    wanted = 2 if metric.plan.compares else 1
    if names and len(names) != wanted:
        raise ValueError(f"names must have {wanted} of them, got {names!r}")
    if margin is not None and not margin > 0:
        raise ValueError(f"margin must be above 0, got {margin}")
    found = metric.compute() if result is None else result
    if metric.dist_comm.rank == 0:
        study = Study(names=names, made=moment())
        text = page(metric, found, title=title, study=study, margin=margin)
        Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")


def moment() -> str:
    """Return the date and the time in the form that reports show.

    The variable SOURCE_DATE_EPOCH, in seconds since 1970, replaces the clock.

    Example:
        >>> os.environ["SOURCE_DATE_EPOCH"] = "1795426860"
        >>> moment()
        '23 November 2026, 09:41 UTC'
        >>> del os.environ["SOURCE_DATE_EPOCH"]
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(given) if given.isdecimal() else None
    now = datetime.now(timezone.utc)
    now = now if seconds is None else datetime.fromtimestamp(seconds, timezone.utc)
    months = "January February March April May June July August September October November"
    month = [*months.split(), "December"][now.month - 1]  # in English, whatever the locale
    return f"{now.day} {month} {now.year}, {now.hour:02}:{now.minute:02} UTC"


def page(
    metric: Evaluation,
    result: Mapping[str, Any],
    *,
    title: str = "",
    study: Study | None = None,
    each: Each | None = None,
    margin: float | None = None,
    record: tuple[str, str] | None = None,
) -> str:
    """Return the page of a report.

    Args:
        metric: As in `report`; `compute` is not called.
        result: As in `report`.
        title: As in `report`.
        study: The facts about the evaluation, as far as they are known.
        each: The scores of single samples, if they are known.
        margin: As in `report`.
        record: The digest of the result's record, and the command that verifies it; by default the
            digest of a `Recorded` metric.
    """
    study = study or Study()
    if metric.plan.records and not metric.plan.compares and record is None:
        recorded: Any = metric
        record = recorded.record()["id"], ""
    places = [*metric.plan.places()]
    name = places[0].metric.name if not places[0].name else ""
    values = dict(result) if WHOLE in result else {WHOLE: result}
    rules = Rules()
    drawn: list[Drawn] = []
    undrawn: list[str] = []
    every = read(result, name)
    if metric.plan.compares:
        pair: Any = metric
        story = compare_story(pair, values, study, each, margin)
    else:
        story = score_story(metric, every, study, each)
        drawn, undrawn = _drawn(result, name, rules, story.matrix is not None)
    if title:
        finding = "".join(text for text, _ in story.title)
        story.below.insert(0, f"{finding}.")
        story.title, story.name = [(clipped(title), "")], clipped(title)
    samples = every[0].samples
    level = _level(metric.intervals)
    css = "\n".join([_sheet(), rules.css()])
    script = _text("page.js")
    return str(
        _template().render(
            csp=_policy(css, script),
            css=css,
            script=script,
            story=story,
            date=study.made.partition(",")[0],
            pictures=drawn,
            undrawn=undrawn,
            measured=measured(
                study, _middle(metric, result, study, samples, level), _made(metric, study)
            ),
            command=command_text(study.command) if study.command else "",
            record=record,
            guide=guide(story, samples, level, bool(story.forests)),
            version=sys.modules["mmeval_like"].__version__,
        )
    )


def _middle(
    metric: Evaluation, result: Mapping[str, Any], study: Study, samples: int | None, level: str
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the samples that were counted, and the statistics that were used."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    compares = metric.plan.compares
    directions = {place.metric.higher_is_better for place in metric.plan.places()}
    if len(directions) == 1:
        words = {True: "higher is better", False: "lower is better"}
        unknown = "the metric does not say whether higher is better"
        found.append(("Direction", [(words.get(directions.pop(), unknown), "")]))
    if samples is not None:
        how = ""
        if compares:
            how = ", paired row by row"
            how = (
                ", paired by the column " if study.ids else how if study.files else ", paired by id"
            )
        pieces = [(f"{samples:,}{how}", "")]
        pieces += [(clipped(study.ids), "code")] if study.ids and compares else []
        found.append(("Samples", pieces))
    ids = getattr(result, "report", None)
    if ids is not None or not compares:
        found.append(("Duplicates", [(duplicates(ids), "")]))
    if study.by:
        pieces = [("columns " if len(study.by) > 1 else "column ", "")]
        for one in study.by:
            pieces += [(", ", "")] * (len(pieces) > 1) + [(clipped(one), "code")]
        found.append(("Slices", pieces))
    methods = [*dict.fromkeys(one.method for one in _all(metric.intervals) if one.method != "none")]
    if methods:
        text = f"{level}% intervals ({listed(methods)})"
        if compares:
            pair: Any = metric
            text += ", two-sided p-values of the paired difference"
            names = {"holm": "Holm’s correction", "bh": "Benjamini and Hochberg’s correction"}
            correction = names.get(pair.correction)
            text += f", {correction} for the number of slices" if correction else ""
            text += "; power of 80% for what is detectable"
        elif WHOLE in result:
            text += "; each slice is tested against the value of all samples (Holm’s correction)"
        found.append(("Statistics", [(text, "")]))
    return found


def _all(intervals: Any) -> Any:
    """Yield every interval of nested dicts and lists."""
    if hasattr(intervals, "level"):
        yield intervals
        return
    for one in intervals.values() if isinstance(intervals, Mapping) else intervals or ():
        yield from _all(one)


def _made(metric: Evaluation, study: Study) -> str:
    """Return when, where and with which versions the page was made."""
    world = metric.dist_comm
    ranks = "one process" if world.world_size == 1 else f"{world.world_size} ranks"
    version = sys.modules["mmeval_like"].__version__
    with_what = f"mmeval_like {version}, Python {platform.python_version()}, NumPy {np.__version__}"
    where = f"{ranks} ({type(world).__name__}) on {platform.system()} {platform.machine()}"
    return f"{study.made}{', ' * bool(study.made)}with {with_what}, {where}"


def _drawn(
    result: Mapping[str, Any], name: str, rules: Rules, has_matrix: bool
) -> tuple[list[Drawn], list[str]]:
    """Return the pictures of the page, and the titles of those that do not fit."""
    left = (*_TABLES, *(_MATRICES if has_matrix else ()))
    found = [one for one in pictures(result, name) if getattr(one.draw, "func", None) not in left]
    drawn: list[Drawn] = []
    size = 0
    for number, picture in enumerate(found[:_PICTURES]):
        one = draw_inline(picture, number, rules)
        size += len(one.markup)
        if size > _PICTURE_BYTES:
            break
        known = one.title.isidentifier()
        title = label_of(one.title, one.title, alone=True) if known else one.title
        drawn.append(replace(one, title=clipped(title)))
    return drawn, [clipped(picture.title) for picture in found[len(drawn) :]]


def _level(intervals: Any) -> str:
    """Return the level of the intervals in per cent; empty without intervals."""
    return next((f"{100 * one.level:g}" for one in _all(intervals)), "")


def _policy(css: str, script: str) -> str:
    """Return the content security policy, which allows only this style sheet and this script."""
    styles, scripts = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (css, script)
    )
    return (
        f"default-src 'none'; style-src 'sha256-{styles}'; script-src 'sha256-{scripts}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _sheet() -> str:
    themes = {name: variables(name) for name in ("light", "dark", "print")}
    sheet = _text("page.css")
    for name, colours in themes.items():
        sheet = sheet.replace(f"/*{name}*/", colours)
    return sheet


def _text(name: str) -> str:
    return resources.files("mmeval_like.reporting").joinpath(name).read_text("utf-8")


@cache
def _template() -> Any:
    with needed_for("report", "pip install 'mmeval-like[report]'"):
        import jinja2

    made = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["soft"] = _soft
    return made.from_string(_text("page.html.j2"))


def _soft(text: str) -> str:
    """Return a text as HTML in which words wider than a phone's screen may be broken.

    Example:
        >>> _soft("<b>"), _soft("a_very_long_name_of_a_column")
        ('&lt;b&gt;', 'a_<wbr>very_<wbr>long_<wbr>name_<wbr>of_<wbr>a_<wbr>column')
    """

    def divided(found: re.Match[str]) -> str:
        return "\0".join(_PIECE.findall(found.group()))

    return "<wbr>".join(map(html.escape, _LONG.sub(divided, str(text)).split("\0")))
