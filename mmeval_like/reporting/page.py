"""The report: one page with what was measured, the result, and its uncertainty."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from importlib import resources
from typing import Any

from mmeval_like._base.atomic_files import put_through
from mmeval_like._base.keys import WHOLE
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.together import together
from mmeval_like.plots.bars import bars
from mmeval_like.plots.choice import pictures
from mmeval_like.plots.confusion import draw_confusions, draw_matrix
from mmeval_like.plots.dots import draw_dots
from mmeval_like.plots.reading import read
from mmeval_like.reporting.comparing import Comparison, compare_story
from mmeval_like.reporting.each import Each
from mmeval_like.reporting.measured import measured
from mmeval_like.reporting.rendering import templates
from mmeval_like.reporting.scoring import Score, score_story
from mmeval_like.reporting.study import Study
from mmeval_like.reporting.svg import Drawn, Rules, draw_inline, variables
from mmeval_like.reporting.unscored import Lost
from mmeval_like.reporting.words import clipped, label_of

__all__ = ["moment", "page", "report"]

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
        path: The file to write. Rank 0 writes it, atomically.
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
        OSError: The file cannot be written; an earlier file at `path` is kept.
        RemoteError: Rank 0 could not write the page; raised on the other ranks if every rank
            called `report`, as it must without `result`.
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
    found, backend = metric.compute() if result is None else result, metric.dist_comm

    def write() -> None:
        if backend.rank == 0:
            study, record = Study(names=names, made=moment()), None
            if metric.plan.records and not metric.plan.compares:
                recorded: Any = metric
                record = recorded.record()["id"], ""
            text = page(metric, found, title=title, study=study, margin=margin, record=record)
            put_through(path, text.encode("utf-8", "backslashreplace"))

    if result is None:
        together(backend, write)
    else:  # perhaps only rank 0 is here
        write()


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
    lost: Sequence[Lost] = (),
) -> str:
    """Return the page of a report.

    Args:
        metric: As in `report`; `compute` is not called.
        result: As in `report`.
        title: As in `report`.
        study: The facts about the evaluation, as far as they are known.
        each: The scores of single samples, if they are known.
        margin: As in `report`.
        record: The digest of the result's record, and the command that verifies it; None: it was
            not recorded.
        lost: Of each system the samples without a score, if they are known.
    """
    plan, study = metric.plan, study or Study()
    study = replace(study, metrics=study.metrics or plan.measured(), by=study.by or [*plan.columns])
    places = [*metric.plan.places()]
    name = places[0].metric.name if not places[0].name else ""
    rules = Rules()
    drawn: list[Drawn] = []
    undrawn: list[str] = []
    every = read(result, name)
    story: Comparison | Score
    if metric.plan.compares:
        pair: Any = metric
        accounts = getattr(result, "accounts", None)
        values = dict(result) if WHOLE in result else {WHOLE: result}
        accounts = accounts if WHOLE in result else {WHOLE: accounts}
        story = compare_story(pair, values, study, each, margin, accounts, lost)
    else:
        story = score_story(metric, every, study, each, lost)
        drawn, undrawn = _drawn(result, name, rules, story.matrix is not None)
    css = "\n".join([_sheet(), rules.css()])
    script = _text("page.js")
    return str(
        templates()
        .get_template(story.template)
        .render(
            csp=_policy(css, script),
            css=css,
            script=script,
            title=clipped(title) if title else "",
            story=story,
            study=study,
            pictures=drawn,
            undrawn=undrawn,
            measured=measured(metric, result, every[0], story.directions),
            record=record,
        )
    )


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
