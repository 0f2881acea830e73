"""The request of `score`, checked before the run begins."""

from __future__ import annotations

import argparse
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mmeval_like._core.collection import MetricCollection
from mmeval_like._core.metric import BaseMetric
from mmeval_like._core.sliced import Sliced
from mmeval_like._states.statistic import Statistic
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.class_names import as_classes, check_no_names
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.matching import (
    check_there,
    classes_of,
    find_columns,
    gaps_of,
    read_assignment,
    texts_of,
)
from mmeval_like.cli.quantiles import Ranges, sorted_into
from mmeval_like.cli.readers import RowBatch, Table, blaming, expand, open_tables
from mmeval_like.cli.readers.coco_files import IMAGE, CocoTable, annotated
from mmeval_like.cli.require import Condition, parse_condition
from mmeval_like.cli.samples import SAMPLES, Samples
from mmeval_like.cli.specs import Spec, parse_spec
from mmeval_like.cli.targets import check_targets
from mmeval_like.records.recorded import Recorded
from mmeval_like.reporting import missing_packages
from mmeval_like.tables.arguments import Naming
from mmeval_like.tables.guess import is_truth
from mmeval_like.tables.unscored import marks_of, reasons_of_rows, stacked

__all__ = ["Request", "read_request"]


@dataclass(frozen=True)
class Request:
    """The files, the metrics, and the columns that the metrics read.

    Attributes:
        tables: The files.
        specs: The metrics.
        naming: The names of the metrics' arguments.
        columns: The columns of each argument, by its name in the first metric; none if the user
            said that the argument is not given.
        texts: The columns that are read as strings, whatever their cells contain.
        gaps: The columns whose cells may have no value: they are nan.
        by: The families of slices, each given by the columns that define it.
        ids: The column of dataset indices, or None.
        size: The number of samples of the dataset, or None.
        dataset_meta: That of the metrics. The classes may be added once the files are read.
        conditions: The requirements on the values.
        guessed: The columns that fit each argument for which the user named no column, with the one
            that is read first.
        of_classes: The arguments that may hold class indices.
        interval: The level of the intervals, or None for no intervals.
        cluster: The column of the clusters, or None.
        ranges: For columns of floats that define slices: the ranges of their values.
        annotations: The file of COCO annotations, or None.
        recorded: Whether a digest of the samples is kept, for a record or a saved state.
        equal: The columns, besides labels and slices, that must be equal in both systems.
        unscored: What samples without a score count as; None: there must be none.
        marks: The columns that say why a row has no score, as `marks_of` returns them.
        refuses: Whether samples without a score, left out so that all are counted, are an error.
    """

    tables: list[Table]
    specs: list[Spec]
    naming: Naming
    columns: dict[str, list[str]]
    texts: frozenset[str]
    gaps: frozenset[str]
    by: list[tuple[str, ...]]
    ids: str | None
    size: int | None
    dataset_meta: dict[str, Any] | None
    conditions: list[Condition]
    guessed: dict[str, list[str]]
    of_classes: frozenset[str]
    interval: float | None
    cluster: str | None
    ranges: dict[str, tuple[bool, Ranges]] = field(default_factory=dict)
    annotations: str | None = None
    recorded: bool = False
    equal: tuple[str, ...] = ()
    rest: bool = False
    unscored: float | str | None = None
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    refuses: bool = False

    def make(self) -> MetricCollection:
        """Return the metrics without samples, by name, or by full name if two share one."""
        names = [spec.text.partition(":")[0] for spec in self.specs]
        metrics = {
            spec.text if names.count(name) > 1 else name: spec.make(
                self.dataset_meta, self.interval, self.unscored
            )
            for spec, name in zip(self.specs, names, strict=True)
        }
        counted = Samples(unscored=None if self.unscored is None else 0)
        return MetricCollection({**metrics, SAMPLES: counted})

    def start(self, backend: BaseDistBackend) -> Sliced | MetricCollection | Recorded:
        """Return the evaluation of all slices, or of the metrics if there are no slices."""
        metrics = self.make()
        metrics.dist_backend = backend
        if any(_keeps_order(place.metric.statistic) for place in metrics.plan.places()):
            metrics.dist_collect_mode = "cat"  # the ranks' shares follow each other
        total = Sliced(metrics, self.by, rest=self.rest) if self.by else metrics
        return Recorded(total) if self.recorded else total

    def units(self) -> list[tuple[int, int, int]]:
        """Return all pieces of work: file, start, stop. They do not depend on the ranks.

        Raises:
            InputError: A file cannot be read.
        """
        found = []
        for index, table in enumerate(self.tables):
            with blaming(table.path):
                found += [(index, start, stop) for start, stop in table.units()]
        return found

    def needed(self) -> list[str]:
        """Return the columns to read."""
        names = [name for group in self.columns.values() for name in group]
        names += self.keys()
        names += [*self.equal, *self.marks]
        return [*dict.fromkeys(names)]

    def keys(self) -> list[str]:
        """Return the columns that name samples, slices and clusters."""
        names = [name for family in self.by for name in family]
        names += [name for name in (self.ids, self.cluster) if name is not None]
        return [*dict.fromkeys(names)]

    @property
    def predictions(self) -> frozenset[str]:
        """The columns of predictions."""
        known = self.columns.items()
        return frozenset(name for one, names in known if not is_truth(one) for name in names)

    @property
    def missing(self) -> str:
        """What ids that no file has are for `compute`: an error, or samples without a score."""
        return "raise" if self.unscored is None else "report"

    def lacks(self, batch: RowBatch, row: int) -> bool:
        """Return whether the prediction of a row of a batch is missing."""
        cells = [batch.columns[name][row : row + 1] for name in self.predictions]
        return any(reasons_of_rows({}, cells, 1))

    def account(self) -> None:
        """Tell the files which cells may have no value, and which columns say why."""
        for table in self.tables:
            table.gaps = tuple(self.gaps)
            table.slices = frozenset(name for family in self.by for name in family)
            table.predictions, table.marks = self.predictions, self.marks
            table.accounts = self.unscored is not None

    def reasons(self, batch: RowBatch) -> list[str | None] | None:
        """Return for each row of a batch None, or why it has no score; None: all must have one."""
        if self.unscored is None:
            return None
        columns = batch.columns
        said = {name: (some, columns[name]) for name, some in self.marks.items()}
        predictions = [columns[name] for name in self.predictions if name in columns]
        count = len(next(iter(columns.values())))
        return reasons_of_rows(said, predictions, count)

    def places(self, table: Table, batch: RowBatch) -> dict[str, Any]:
        """Return the ids, clusters, slices and reasons of the samples of a batch of a file.

        Raises:
            InputError: An id or a cluster is empty: such rows would be one sample, or one cluster.
        """
        found: dict[str, Any] = {}
        for name in filter(None, (self.ids, self.cluster)):
            table.check_filled(batch, name)
        if self.unscored is not None:
            found["unscored"] = self.reasons(batch)
        if self.cluster is not None:
            found["clusters"] = batch.columns[self.cluster]
        if self.ids is not None:
            found["ids"] = batch.columns[self.ids]
        if self.by:
            names = dict.fromkeys(name for family in self.by for name in family)
            found["by"] = {
                name: sorted_into(batch.columns[name], *self.ranges[name])
                if name in self.ranges
                else batch.columns[name]
                for name in names
            }
        return found

    @property
    def classes(self) -> list[str]:
        """The names of the classes; empty if none were given."""
        return list((self.dataset_meta or {}).get("classes", []))

    def arguments(self, batch: RowBatch) -> dict[str, Any]:
        """Return the arguments of the metrics, by name."""
        found = {}
        for name, columns in self.columns.items():
            if not columns:
                continue
            parts = [batch.columns[column] for column in columns]
            found[name] = stacked(parts)
            if name in self.of_classes:
                check_no_names(name, found[name], self.classes)
        return found

    def fingerprint(self) -> str:
        """Return what must be equal, besides the content, to continue an interrupted run."""
        files = [os.path.abspath(table.path) for table in self.tables]
        described = (files, [s.text for s in self.specs], self.columns, self.by, self.ids)
        options = (described, self.ranges, self.interval, self.cluster, self.recorded)
        if self.unscored is not None:
            options = (*options, self.unscored, self.marks)  # type: ignore[assignment]
        return hashlib.blake2b(repr(options).encode(), digest_size=16).hexdigest()


def read_request(
    options: argparse.Namespace, tables: Sequence[Table] | None = None, equal: tuple[str, ...] = ()
) -> Request:
    """Check the options of a command against the files of one system.

    Args:
        options: The options.
        tables: The files, if they are open already.
        equal: The columns that must be equal in both systems.

    Raises:
        InputError: Something is wrong with the options.
    """
    if options.size is not None and options.ids is None:
        raise InputError("--size needs --ids: without ids it is unknown which rows are padding")
    _check_outputs(options)
    conditions = [parse_condition(text) for text in options.require]
    specs = _read_specs(options)
    known = annotated(options.annotations) if options.annotations else None
    classes = [*known.names.values()] if known is not None else as_classes(options.classes)
    meta = {"classes": classes} if classes else {}
    if tables is None:
        tables = open_tables(options.files, None if known is None else known.classes)
    ids = options.ids or _image_ids(options, tables)
    if known is not None and ids == IMAGE:
        results = [table for table in tables if isinstance(table, CocoTable)]
        found = {image for table in results for image in table.images}
        for table in results[-1:]:
            table.add_images(image for image in known.images if image not in found)
    tables = [*tables]
    assigned = _read_assignments(options.column)
    metrics = [_made(spec, meta) for spec in specs]
    columns, guessed = find_columns(metrics, specs, tables, assigned, classes)
    naming = Naming.of(metrics)
    families = [tuple(text.split(",")) for text in options.by]
    _check_places(options, families, tables)
    marks = _marks(options, tables)
    given = None if options.unscored == "refuse" else options.unscored
    request = Request(
        tables,
        specs,
        naming,
        columns,
        texts_of(metrics, naming, columns),
        gaps_of(metrics, naming, columns),
        families,
        ids,
        options.size,
        meta,
        conditions,
        guessed,
        classes_of(metrics, naming),
        options.interval,
        options.cluster,
        annotations=options.annotations,
        recorded=options.command == "verify"
        or (options.command == "score" and bool(options.record or options.state or options.locked)),
        equal=equal,
        rest=options.command == "score" and bool(options.report) and options.interval is not None,
        unscored="drop" if given is None and marks else given,
        marks=marks,
        refuses=given is None,
    )
    request.account()
    return request


def _image_ids(options: argparse.Namespace, tables: Sequence[Table]) -> str | None:
    """Return the column by which results of COCO are known, if none is named.

    All images of the annotations are then rows. States of parts of the results, which are added up
    later, have only images with detections: a part does not know the images of the others.
    """
    if options.command == "verify" or getattr(options, "state", None):
        return None
    return IMAGE if tables and all(isinstance(table, CocoTable) for table in tables) else None


def _marks(options: argparse.Namespace, tables: Sequence[Table]) -> dict[str, tuple[str, ...]]:
    """Return the columns that say why a row has no score."""
    try:
        marks = marks_of(options.unscored_column)
    except ValueError as error:
        raise InputError(f"--unscored-column {error}") from error
    for name in marks:
        check_there(name, "--unscored-column", tables)
    return marks


def _made(spec: Spec, meta: dict[str, Any]) -> BaseMetric:
    """Return a metric that shows which arguments it takes.

    A metric that needs the names of the classes gets placeholders, since `find_classes` may find
    the names in the files.
    """
    try:
        return spec.make(meta)
    except InputError:
        if meta:
            raise
        try:
            return spec.make({"classes": ["first", "second"]})
        except InputError:
            pass
        raise


def _check_outputs(options: argparse.Namespace) -> None:
    """Raise InputError if the results cannot be written to the given files."""
    if options.json == options.csv == "-":
        raise InputError("--json - and --csv -: only one of them can be printed")
    if options.report == "-":
        raise InputError("--report -: must name a file")
    if options.report is not None and (missing := missing_packages()):
        needed = " and ".join(missing)
        raise InputError(f"--report needs {needed}: pip install 'mmeval-like[report]'")
    _check_shown(options)
    for target in (options.json, options.csv, options.report, *_written(options).values()):
        if target is None or target == "-":
            continue
        if not target:
            raise InputError("--json, --csv, --report and the like must name a file")
        if Path(target).is_dir():  # reported now, not after hours
            raise InputError(f"{target}: is a folder")
        if not Path(target).absolute().parent.is_dir():
            raise InputError(f"{target}: no such folder")
    _check_targets(options)


def _check_shown(options: argparse.Namespace) -> None:
    """Raise InputError if options of the report are given without it, or are wrong."""
    compares = options.command == "compare"  # which prints the names
    for option in ("show", *(() if compares else ("name",))):
        if vars(options).get(option) and options.report is None:
            raise InputError(f"--{option} is for the report: add --report FILE")
    margin = vars(options).get("margin")
    if compares and margin is not None:
        if options.report is None:
            raise InputError("--margin is for the report: add --report FILE")
        if not margin > 0:
            raise InputError(f"--margin must be above 0, got {margin}")
    wanted = 2 if compares else 1
    names = vars(options).get("name", [])
    if names and len(names) != wanted:
        counted = f"{len(names)} time{'s' * (len(names) > 1)}"
        many = "once for each system, A first" if wanted == 2 else "once"
        raise InputError(f"--name: give it {many}, got it {counted}")


def _read_specs(options: argparse.Namespace) -> list[Spec]:
    """Return the metrics; metrics of COCO annotations get the annotation file."""
    specs = [parse_spec(text) for text in options.metric]
    if len({spec.text for spec in specs}) < len(specs):
        raise InputError("--metric: the same metric is given twice")
    if options.annotations:
        specs = [spec.annotated(options.annotations) for spec in specs]
    return specs


def _read_assignments(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return, by argument, the columns that `--column` names."""
    assigned = [read_assignment(text) for text in texts]
    arguments = [name for name, _ in assigned]
    if len(set(arguments)) < len(arguments):
        twice = next(name for name in arguments if arguments.count(name) > 1)
        raise InputError(f"--column: {twice!r} is given twice")
    return dict(assigned)


def _check_places(
    options: argparse.Namespace, families: Sequence[tuple[str, ...]], tables: Sequence[Table]
) -> None:
    """Raise InputError if the columns of slices, ids or clusters are missing."""
    for name in [name for family in families for name in family]:
        check_there(name, "--by", tables)
    if len(set(families)) < len(families) or any(len(set(f)) < len(f) for f in families):
        raise InputError("--by: the same column is given twice")
    for text in vars(options).get("show", []):
        for name in text.split(","):
            check_there(name, "--show", tables)
    if options.ids is not None:
        check_there(options.ids, "--ids", tables)
    if options.cluster is not None:
        check_there(options.cluster, "--cluster", tables)
        if options.interval is None:
            raise InputError("--cluster needs --interval: it only affects the intervals")


def _written(options: argparse.Namespace) -> dict[str, str | None]:
    """Return the files that only one command writes, by option."""
    names = {"score": ("record", "state"), "gate": ("statement", "log")}.get(options.command, ())
    return {f"--{name}": getattr(options, name) for name in names}


def _check_targets(options: argparse.Namespace) -> None:
    """Raise InputError if writing the results would overwrite inputs, or other results."""
    others = {"--annotations": options.annotations, "--config": options.config}
    # For unpacked files, the given packed files are meant.
    given = [path for side in vars(options).get("sides", ()) for path in expand(side)]
    read = dict.fromkeys([*options.files, *given], "one of the files to score")
    others |= {"--locked": vars(options).get("locked")}
    others |= {"the record": vars(options).get("record_file")}
    read |= {path: f"the file of {name}" for name, path in others.items() if path is not None}
    if isinstance(options.classes, str) and options.classes.startswith("@"):
        read[options.classes[1:]] = "the file of --classes"
    targets = {"--csv": options.csv, "--json": options.json, "--report": options.report}
    check_targets(targets | _written(options), read)


def _keeps_order(statistic: Statistic) -> bool:
    """Return whether values depend on the order of the samples, as a running mean does."""
    try:
        states = statistic.states()
    except RuntimeError:  # it lacks the classes, as `add` will say
        return False
    return not all(state.commutes for state in states.values())
