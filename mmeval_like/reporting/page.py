"""The report: a page of a result's numbers, their intervals, pictures, and how to read them."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import sys
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like._base.keys import WHOLE
from mmeval_like._base.optional import needed_for
from mmeval_like._core.evaluation import Evaluation
from mmeval_like.backends import BaseDistBackend
from mmeval_like.plots.choice import pictures
from mmeval_like.plots.reading import Slice, read
from mmeval_like.reporting.differences import comparisons, differences, flips, says
from mmeval_like.reporting.svg import Drawn, Rules, draw_inline, variables
from mmeval_like.reporting.tables import (
    Table,
    classes_table,
    clipped,
    headline,
    slices_table,
    worst_slices,
)

__all__ = ["page", "report"]

_PICTURES = 12  # drawn in a page; more would make it long, and slow to write
_PICTURE_BYTES = 500_000  # of all pictures


def report(
    metric: Evaluation,
    path: str | os.PathLike[str],
    result: Mapping[str, Any] | None = None,
    *,
    title: str = "",
) -> None:
    """Write one HTML page about a result: numbers, intervals, pictures, and how to read them.

    The page needs no network and no other file, loads nothing, and has at most 1.5 MB: of very long
    tables it shows the beginning, and says so. Texts of the data are shown as they are, and never
    run. The command line writes it with `--report`.

    Args:
        metric: A metric, a collection, `Sliced`, `Paired` or `Recorded`: what computes the result.
        path: The file to write. Rank 0 writes it.
        result: What `metric.compute()` returned; None: it computes, so that every rank must call
            `report`, as `compute`.
        title: The page's heading; by default what is evaluated.

    Raises:
        ModuleNotFoundError: jinja2 or matplotlib is not installed:
            `pip install 'mmeval-like[report]'`.
        OSError: The file cannot be written.

    Example:
        >>> import os, tempfile
        >>> from mmeval_like import Accuracy
        >>> metric = Accuracy(interval=0.95)
        >>> metric.add([1] * 81 + [0] * 19, [1] * 100)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "report.html")
        ...     report(metric, path, title="Cats")
        ...     with open(path, encoding="utf-8") as file:
        ...         text = file.read()
        >>> "<h1>Cats</h1>" in text, "0.81" in text
        (True, True)
    """
    found = metric.compute() if result is None else result
    if metric.dist_comm.rank == 0:
        text = page(metric, found, title=title)
        Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")


def page(
    metric: Evaluation,
    result: Mapping[str, Any],
    *,
    title: str = "",
    facts: Mapping[str, str] | None = None,
    record: tuple[str, str] | None = None,
) -> str:
    """Return the page of a report.

    Args:
        metric: As in `report`; it is not asked to compute.
        result: As in `report`.
        title: As in `report`.
        facts: What else the page says of how the numbers were made, by name.
        record: The digest of the result's record, and the command that verifies it; by default the
            digest of a `Recorded` metric.
    """
    world, intervals = metric.dist_comm, metric.intervals
    if metric.plan.records and not metric.plan.compares and record is None:
        recorded: Any = metric
        record = recorded.record()["id"], ""
    places = [*metric.plan.places()]
    name = places[0].metric.name if not places[0].name else ""
    slices = read(result, name)
    rules = Rules()
    drawn, undrawn = _drawn(result, name, rules)
    values = dict(result) if WHOLE in result else {WHOLE: result}
    pair: Any = metric if metric.plan.compares else None
    verdicts, compared = [], None
    if pair is not None:
        compared = differences(pair, values)
        verdicts = [
            f"{f'{which}: ' * (len(values) > 1)}{pair.metric.name} {key}: "
            f"{says(pair, key, one, found)}"
            for which, key, one, found in comparisons(pair, values)
        ][:50]
    css = "\n".join([_sheet(), rules.css()])
    script = _text("page.js")
    return str(
        _template().render(
            title=clipped(title) or (pair.metric.name if pair else name) or "Evaluation",
            csp=_policy(css, script),
            css=css,
            script=script,
            verdicts=verdicts,
            headline=None if pair else _filled(headline(slices[0])),
            compared=compared,
            flips=flips(values[WHOLE]) if pair else [],
            counted=_counted(result, slices[0]),
            pictures=drawn,
            undrawn=undrawn,
            slices=slices_table(slices) if len(slices) > 1 and not pair else None,
            worst=None if pair else _filled(worst_slices(slices, _directions(metric))),
            classes=None if pair else _filled(classes_table(slices[0].parts)),
            level=_level(intervals),
            facts=_facts(world) | dict(facts or {}),
            record=record,
        )
    )


def _drawn(result: Mapping[str, Any], name: str, rules: Rules) -> tuple[list[Drawn], list[str]]:
    """Return the pictures of the page, and the titles of those for which it has no room."""
    found = pictures(result, name)
    drawn: list[Drawn] = []
    size = 0
    for number, picture in enumerate(found[:_PICTURES]):
        one = draw_inline(picture, number, rules)
        size += len(one.markup)
        if size > _PICTURE_BYTES:
            break
        drawn.append(one)
    return drawn, [clipped(picture.title) for picture in found[len(drawn) :]]


def _filled(found: Table) -> Table | None:
    """Return a table; None: it has no rows."""
    return found if found.rows else None


def _directions(metric: Evaluation) -> dict[str, bool | None]:
    """Return by metric whether more is better."""
    places = metric.plan.places()
    return {place.name or place.metric.name: place.metric.higher_is_better for place in places}


def _counted(result: Mapping[str, Any], whole: Slice) -> list[tuple[str, str, str]]:
    """Return what was counted: a name, a number, and what it means."""
    samples = whole.samples
    found = [] if samples is None else [("samples", samples, "made the numbers")]
    ids = getattr(result, "report", None)
    if ids is not None:
        found += [
            ("seen", ids.seen, "rows that all ranks added"),
            ("unique", ids.unique, "different ids among them; each counts once"),
            ("duplicated", ids.duplicated, "ids that came more than once"),
            ("differing", ids.differing, "of these, ids whose copies differ: later ones refused"),
        ]
        if ids.missing is not None:
            found.append(("missing", ids.missing, "samples of the dataset that nobody added"))
    return [(name, f"{number:,}", meaning) for name, number, meaning in found]


def _facts(world: BaseDistBackend) -> dict[str, str]:
    """Return versions, and where the numbers were computed."""
    return {
        "mmeval_like": sys.modules["mmeval_like"].__version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "ranks": f"{world.world_size}, {type(world).__name__}",
        "machine": f"{platform.system()} {platform.machine()}",
    }


def _level(intervals: Any) -> str:
    """Return the level of the intervals in per cent; empty: there are none."""
    if hasattr(intervals, "level"):
        return f"{100 * intervals.level:g}"
    several = intervals.values() if isinstance(intervals, Mapping) else intervals
    return next((level for one in several if (level := _level(one))), "")


def _policy(css: str, script: str) -> str:
    """Return the content security policy: nothing but this style sheet and this script."""
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
    return made.from_string(_text("page.html.j2"))
