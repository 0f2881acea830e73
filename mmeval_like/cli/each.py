"""The scores of single samples for a report, which reads the files a second time."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like._base.account import Account
from mmeval_like.cli.readers import blaming
from mmeval_like.cli.readers.inspection import inspect_all
from mmeval_like.cli.request import Request
from mmeval_like.cli.specs import Spec
from mmeval_like.reporting.each import Each, Image, scores_of
from mmeval_like.reporting.unscored import Lost

__all__ = ["each_sample"]

_MOST = 100_000  # samples; with more, the report has no distribution
_QUICK = 20_000  # of one system, if its samples were not requested: reading them takes time
_KINDS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp"}
_IMAGE = 60_000  # bytes of an image in the page, which has up to sixteen
_SEEN = 8  # samples at each end whose images are read


@dataclass(frozen=True)
class _Rows:
    """The rows of one system; of rows with the same id only the first, if possible with a score.

    Attributes:
        columns: The columns.
        ids: The ids of the rows, or their numbers.
        reasons: For each row None, or why it has no score.
    """

    columns: Mapping[str, Any]
    ids: list[Any]
    reasons: Sequence[str | None]

    @property
    def scored(self) -> np.ndarray:
        """The places of the rows with a score."""
        return np.flatnonzero([reason is None for reason in self.reasons])

    def at(self, places: np.ndarray) -> _Rows:
        """Return some of the rows."""
        if len(places) == len(self.ids):
            return self
        columns = {name: _taken(column, places) for name, column in self.columns.items()}
        return _Rows(columns, _taken(self.ids, places), _taken(self.reasons, places))


def each_sample(
    requests: Sequence[Request],
    account: Account,
    wanted: Sequence[Mapping[str, Mapping[str, float]]],
    shown: Sequence[str],
) -> tuple[Each | None, list[Lost]]:
    """Return every sample with its scores, and of each system the samples without a score.

    The first is None if no metric's value is the mean of scores; the second is empty if all samples
    have a score, or if there are too many samples.

    Args:
        requests: The requests of one system or of two.
        account: The account of all samples.
        wanted: For each system, the values of its metrics by name.
        shown: The columns that the report shows.
    """
    samples, most = account.planned, _MOST if shown or len(requests) == 2 else _QUICK
    no_scores = samples > most or (
        len(requests) == 1  # right or wrong: there is no distribution to draw
        and not shown
        and all(_is_hits(spec, requests[0].dataset_meta) for spec in requests[0].specs)
    )
    if samples > _MOST or requests[0].annotations is not None:
        return None, []
    if no_scores and not account.unscored:
        return None, []
    tables = [table for request in requests for table in request.tables]
    needed = dict.fromkeys(name for request in requests for name in request.needed())
    # A column that is also used otherwise keeps its kind: labels are shown as the numbers they are.
    texts = (frozenset(shown) - needed.keys()).union(*(request.texts for request in requests))
    inspect_all(tables, [*needed | dict.fromkeys(shown)], texts, requests[0].keys())
    read = [_read(request, shown) for request in requests]
    lost = [_lost(*both, shown) for both in zip(requests, read, strict=True)]
    lost = lost if account.unscored else []
    if no_scores:
        return None, lost
    if requests[0].unscored in ("drop", "bounds"):
        both = set.intersection(*({one.ids[at] for at in one.scored.tolist()} for one in read))
        read = [one.at(np.flatnonzero([name in both for name in one.ids])) for one in read]
    for spec_at, spec in enumerate(requests[0].specs):
        found = []
        for request, values, rows in zip(requests, wanted, read, strict=True):
            named = [
                name for name in values if name.partition(":")[0] == spec.text.partition(":")[0]
            ]
            name = spec.text if spec.text in values else next(iter(named), "")
            if name not in values or spec_at >= len(request.specs):
                break
            known = _scores(request, spec_at, rows, values[name])
            if known is None:
                break
            found.append((name, *known))
        if len(found) == len(requests) and len({key for _, key, _ in found}) == 1:
            return _together(requests, read, found, shown), lost
    return None, lost


def _scores(
    request: Request, spec_at: int, rows: _Rows, wanted: Mapping[str, float]
) -> tuple[str, np.ndarray] | None:
    """Return a key of a metric, and the scores of all rows; None if they are unknown.

    Rows without a score have the number that they count as.
    """
    scored, count, fill = rows.scored, len(rows.ids), request.unscored
    missing = count - len(scored)
    if missing and (isinstance(fill, str | None) or not len(scored)):
        return None
    if missing:  # of those with a score, the mean is another one
        wanted = {
            key: (value * count - fill * missing) / len(scored)  # type: ignore[operator]
            for key, value in wanted.items()
            if isinstance(value, int | float)
        }
    columns = _Columns(rows.at(scored).columns)
    passed, others = request.naming.passed(request.arguments(columns))  # type: ignore[arg-type]
    metric = request.specs[spec_at].make(request.dataset_meta)
    known = scores_of(metric, passed, others, wanted)
    if known is None or not missing:
        return known
    scores = np.full(count, fill, np.float64)
    scores[scored] = known[1]
    return known[0], scores


def _lost(request: Request, rows: _Rows, shown: Sequence[str]) -> Lost:
    """Return the rows of one system that have no score."""
    places = np.flatnonzero([reason is not None for reason in rows.reasons])
    some = rows.at(places)
    by = dict.fromkeys(name for family in request.by for name in family)
    texts: Mapping[str, Sequence[Any]] = {}
    if shown:
        folder = Path(request.tables[0].path).parent
        seen = [*range(min(len(places), _SEEN))]
        texts = _with_images({name: some.columns[name] for name in shown}, folder, seen)
    of_slices = {name: _listed(some.columns[name]) for name in by}
    return Lost(some.ids, [*map(str, some.reasons)], texts, of_slices)


def _is_hits(spec: Spec, meta: dict[str, Any] | None) -> bool:
    """Return whether a metric only counts samples, such as correct ones."""
    states = spec.make(meta).statistic.states().values()
    return bool(states) and all(state.counts_hits for state in states)


class _Columns:
    """All rows of some files, with the attributes of a batch."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.columns = columns


def _read(request: Request, shown: Sequence[str]) -> _Rows:
    """Return the columns of all rows."""
    needed = [*dict.fromkeys([*request.needed(), *shown])]
    parts: dict[str, list[Any]] = {name: [] for name in needed}
    for table in request.tables:
        with blaming(table.path):
            for start, stop in table.units():
                for batch in table.read(start, stop, needed):
                    for name in needed:
                        parts[name].append(batch.columns[name])
    columns = {name: _joined(several) for name, several in parts.items()}
    count = len(next(iter(columns.values())))
    reasons = request.reasons(_Columns(columns)) or [None] * count  # type: ignore[arg-type]
    if request.ids is None:
        return _Rows(columns, [*range(count)], reasons)
    rows = _Rows(columns, _listed(columns[request.ids]), reasons)
    first: dict[Any, int] = {}
    for at, one in enumerate(rows.ids):
        if (reasons[at] or "") < (reasons[first.setdefault(one, at)] or ""):  # as in `first_copies`
            first[one] = at
    return rows.at(np.array([*first.values()], np.int64))


def _together(
    requests: Sequence[Request],
    read: Sequence[_Rows],
    found: Sequence[tuple[str, str, np.ndarray]],
    shown: Sequence[str],
) -> Each | None:
    """Return the scores of all systems for the samples of the first system, in its order."""
    first, ids = requests[0], list[Any]()
    scores, columns = [], []
    for of_system, (_, _, own) in zip(read, found, strict=True):
        names = of_system.ids
        if not ids:
            ids, order = names, np.arange(len(own))
        else:
            at = {one: place for place, one in enumerate(names)}
            if len(at) != len(ids) or not all(one in at for one in ids):
                return None
            order = np.array([at[one] for one in ids], np.int64)
        scores.append(own[order])
        columns.append({name: _taken(of_system.columns[name], order) for name in shown})
    by = [*dict.fromkeys(name for family in first.by for name in family)]
    places = {name: _listed(read[0].columns[name]) for name in by}
    name, key, _ = found[0]
    each = Each(name if len(requests) == 1 else "", key, scores, ids, (), places)
    if not shown:
        return each
    folders = [Path(request.tables[0].path).parent for request in requests]
    seen = _ends_of(scores)
    if len(requests) == 1:
        columns[0].update(_answers(first, read[0].columns))
    texts = [_with_images(one, folder, seen) for one, folder in zip(columns, folders, strict=True)]
    return replace(each, texts=texts)


def _answers(request: Request, columns: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the names of the true and the predicted class of every sample, if known."""
    found = request.arguments(_Columns(columns))  # type: ignore[arg-type]
    if not {"predictions", "labels"} <= found.keys():
        return {}
    try:
        labels, said = (np.asarray(found[name]) for name in ("labels", "predictions"))
    except ValueError:  # lists of different lengths
        return {}
    if labels.ndim != 1 or said.ndim > 2:
        return {}
    sure = [""] * len(labels)
    if said.ndim == 2:
        if said.min(initial=0.0) >= 0 and said.max(initial=0.0) <= 1:
            sure = [f", {_percent(one)} confident" for one in said.max(axis=1, initial=0.0)]
        said = said.argmax(axis=1) if said.shape[1] else labels
    names = request.classes

    def name(one: Any) -> str:
        known = names and isinstance(one, int) and 0 <= one < len(names)
        return names[one] if known else str(one)

    pairs = zip(said.tolist(), sure, strict=True)
    return {
        "predicted": [f"{name(one)}{text}" for one, text in pairs],
        "true": [*map(name, labels.tolist())],
    }


def _percent(share: float) -> str:
    return "> 99.9%" if share > 0.999 else f"{100 * share:.1f}%"


def _ends_of(scores: Sequence[np.ndarray]) -> list[int]:
    """Return the samples that may be shown, which have the lowest and the highest scores."""
    sorted_by = scores[0] if len(scores) == 1 else scores[1] - scores[0]
    ends = [np.argsort(one, kind="stable")[:_SEEN] for one in (sorted_by, -sorted_by)]
    return [*dict.fromkeys(np.concatenate(ends).tolist())]


def _with_images(
    columns: Mapping[str, Any], folder: Path, seen: Sequence[int]
) -> dict[str, Sequence[Any]]:
    """Return columns of strings, in which image files of a few samples are replaced by images."""
    found: dict[str, Sequence[Any]] = {}
    for name, column in columns.items():
        texts = _listed(column)
        for at in seen:
            image = _image(folder, str(texts[at]))
            texts[at] = texts[at] if image is None else image
        found[name] = texts
    return found


def _image(folder: Path, name: str) -> Image | None:
    """Return an image file in the folder of the data; None if it is not one, or too large."""
    path = folder / name[-300:]
    kind = _KINDS.get(path.suffix.lower())
    try:
        # Pages are shared, so they must not contain files from other folders.
        if kind is None or not path.resolve().is_relative_to(folder.resolve()):
            return None
        if not path.is_file() or path.stat().st_size > _IMAGE:
            return None
        data = base64.b64encode(path.read_bytes()).decode()
    except (OSError, ValueError):
        return None
    return Image(f"data:image/{kind};base64,{data}")


def _joined(several: Sequence[Any]) -> Any:
    if several and all(isinstance(one, np.ndarray) for one in several):
        return np.concatenate(several)
    return [one for part in several for one in _listed(part)]


def _taken(column: Any, places: np.ndarray) -> Any:
    if isinstance(column, np.ndarray):
        return column[places]
    return [column[at] for at in places.tolist()]


def _listed(column: Any) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else [*column]
