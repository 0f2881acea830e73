"""`list`: all metrics and backends, or the description of one metric."""

from __future__ import annotations

import argparse
import inspect
import shutil
import textwrap
import warnings
from collections.abc import Mapping
from typing import Any

from mmeval_like import metrics
from mmeval_like._base.names import Listing
from mmeval_like._core.metric import BaseMetric, Statistic
from mmeval_like.backends import list_all_backends
from mmeval_like.cli.doctor import state_of
from mmeval_like.cli.specs import arguments_of, metric_class, name_on_the_line
from mmeval_like.cli.terminal import write_out
from mmeval_like.tables.arguments import inputs, taken

__all__ = ["listing", "metric_page", "overview"]


def listing(options: argparse.Namespace) -> int:
    """Print all metrics and backends, or the description of one metric; return the exit code.

    Raises:
        InputError: No metric has this name.
    """
    write_out(metric_page(options.name) if options.name else overview())
    return 0


def overview() -> str:
    """Return all metrics, one per line under the heading of their domain, and all backends."""
    lines = []
    for heading, names in Listing(metrics.__name__).headings.items():
        found = {name_on_the_line(name): getattr(metrics, name) for name in names}
        if found:  # deprecated names have a heading, and are not listed
            lines += [heading, *_table({n: _summary(cls) for n, cls in found.items()}), ""]
    lines += ["Backends", *_table({name: state_of(name) for name in list_all_backends()})]
    lines += ["", "`mmeval_like list NAME` shows a metric's arguments, its columns and an example."]
    return "\n".join(lines) + "\n"


def metric_page(name: str) -> str:
    """Return the description of one metric for users of the command line.

    Raises:
        InputError: No metric has this name.
    """
    cls = metric_class(name)
    arguments = arguments_of(cls)
    columns = columns_of(cls)
    needed = [
        f"{a}=..." for a, (_, default) in arguments.items() if default is inspect.Parameter.empty
    ]
    if not needed and "num_classes" in arguments and _asks_for_classes(cls):
        needed = ["num_classes=..."]
    spec = name + (f":{','.join(needed)}" if needed else "")
    lines = [
        name,
        *textwrap.wrap(_summary(cls), _width(), initial_indent="  ", subsequent_indent="  "),
    ]
    lines += [
        "",
        "Columns",
        *_table({c: "" if required else "may be left out" for c, required in columns.items()}),
    ]
    if arguments:
        lines += [
            "",
            "Arguments",
            *_table({a: _described(*found) for a, found in arguments.items()}),
        ]
    lines += ["", "Example", f"  mmeval_like score preds.parquet --metric {spec}"]
    first = next(iter(columns), None)
    if first is not None:
        lines[-1] += f" --column {first}=COLUMN"
    lines += [
        "",
        f"`help(mmeval_like.{cls.__name__})` in Python has the shapes and the formula's source.",
    ]
    return "\n".join(lines) + "\n"


def columns_of(cls: type[BaseMetric]) -> dict[str, bool]:
    """Return the arguments of the metric, and whether each of them is required."""
    rows: Any = getattr(cls, "rows", None)
    if rows is None or rows is Statistic.rows:
        options: dict[str, Any] = {  # arbitrary values that the constructor accepts
            name: 0.5 if hint is float else 2
            for name, (hint, default) in arguments_of(cls).items()
            if default is inspect.Parameter.empty
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = taken(cls(**options, classes=["no", "yes"]))
    else:
        found = inputs(rows, cls.add)
    return {name: one.default is one.empty for name, one in found.items()}


def _asks_for_classes(cls: type[BaseMetric]) -> bool:
    """Return whether the metric needs the number of classes, or their names."""
    try:
        cls()
    except ValueError as error:
        return "num_classes" in str(error)
    return False


def _described(hint: Any, default: Any) -> str:
    text = inspect.formatannotation(hint).replace("collections.abc.", "").replace("typing.", "")
    return (
        f"{text}, must be given"
        if default is inspect.Parameter.empty
        else f"{text}, default {default!r}"
    )


def _summary(cls: type) -> str:
    return (inspect.getdoc(cls) or "").partition("\n")[0]


def _table(rows: Mapping[str, str]) -> list[str]:
    """Return the lines of two columns; the second is wrapped to the width of the terminal."""
    if not rows:
        return []
    indent = min(max(map(len, rows)), 34) + 4
    lines = []
    for name, text in rows.items():
        wrapped = textwrap.wrap(text, max(_width() - indent, 20)) or [""]
        head = f"  {name}"
        if len(head) + 2 > indent:
            lines.append(head)
            head = ""
        lines.append(f"{head:<{indent}}{wrapped[0]}".rstrip())
        lines += [" " * indent + line for line in wrapped[1:]]
    return lines


def _width() -> int:
    return shutil.get_terminal_size().columns
