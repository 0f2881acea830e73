"""Result: the return value of `compute`, a dict for loggers, JSON and notebooks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mmeval_like._base.account import Account, account_of, every, told
from mmeval_like._base.names import did_you_mean
from mmeval_like._base.optional import needed_for
from mmeval_like._base.showing import as_group, as_html
from mmeval_like._core.grids import without_grids
from mmeval_like._samples.exactly_once import IdsReport

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Result", "axes_of", "entries", "plain"]

_ENDS = ("low", "high")


class Result(dict[str, Any]):
    """The values of a metric, or of several: a dict, equal to the plain dict of its items.

    Its values are those that `compute_metric` returned: numbers, strings, lists, numpy arrays, and
    dicts of these for a collection or for slices.

    Args:
        values: The values by name; any dict works, for instance one read from a file.
        samples: The number of samples evaluated; None: unknown.
        report: The ids report of an evaluation with `ids=`; None if there were no ids.
        classes: The names of the classes, in the order of their indices.
        intervals: Details of each value's interval, by key.
        metrics: The metrics with their options, as texts.
        accounts: The `Account` of the samples; for a collection or slices, those by name. None: all
            samples have a score.

    Attributes:
        samples: As given. With `ids=` every index is counted once. For a collection, the number of
            its first member.
        report: As given.
        classes: As given. `compute` takes them from `dataset_meta["classes"]`.
        intervals: As given: for a metric with `interval=`, an `Interval` for every float.
        metrics: As given; `compute` gives for instance `["Accuracy(topk=5)"]`.
        accounts: As given.

    Example:
        >>> from mmeval_like import Recall
        >>> meta = {"classes": ["cat", "dog"]}
        >>> metric = Recall(task="multiclass", num_classes=2, average=None, dataset_meta=meta)
        >>> result = metric([0, 1, 1], [0, 1, 0])
        >>> result
        {'recall_classwise': [0.5, 1.0]}
        >>> result.flat("val/")
        {'val/recall_classwise_cat': 0.5, 'val/recall_classwise_dog': 1.0}
        >>> result.samples
        3
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        samples: int | None = None,
        report: IdsReport | None = None,
        classes: Sequence[str] | None = None,
        intervals: Mapping[str, Any] | None = None,
        metrics: Sequence[str] = (),
        accounts: Any = None,
    ) -> None:
        super().__init__(values)
        self.samples, self.report, self.classes = samples, report, classes
        self.intervals = {} if intervals is None else intervals
        self.metrics, self.accounts = [*metrics], accounts

    @property
    def account(self) -> Account:
        """The account of all samples; for a collection, that of its first member that has one."""
        found = account_of(self.accounts)
        return Account(self.samples or 0) if found is None else found

    @property
    def planned(self) -> int:
        """The number of samples that should have a score: `scored` plus all of `unscored`."""
        return self.account.planned

    @property
    def scored(self) -> int:
        """The number of samples that have a score."""
        return self.account.scored

    @property
    def unscored(self) -> dict[str, int]:
        """The number of samples without a score, by reason."""
        return {**self.account.unscored}

    @property
    def bounds(self) -> dict[str, Any]:
        """With `unscored="bounds"`, the worst and the best value by key; otherwise empty."""
        return {**self.account.bounds}

    def __missing__(self, key: object) -> Any:
        keys = [*map(str, self)]
        hint = did_you_mean(str(key), keys) or f"; the keys are {', '.join(keys) or 'none'}"
        raise KeyError(f"no value {key!r}{hint}")

    def __float__(self) -> float:
        """Return the number of a result that has a single one, besides the ends of its interval."""
        ends = {f"{key}_{end}" for key in self.intervals for end in _ENDS}
        keys = [key for key in self if key not in ends]
        if len(keys) != 1 or not isinstance(self[keys[0]], bool | int | float):
            raise TypeError(f"a result with the keys {', '.join(keys)} is not one number: name one")
        return _as_float(self[keys[0]])

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def flat(
        self, prefix: str = "", sep: str = "_", classes: Sequence[str] | None = None
    ) -> dict[str, float]:
        """Return all numbers as one flat dict of floats, for loggers.

        Args:
            prefix: A prefix for every name, for instance "val/".
            sep: The separator between the names of nested entries. Entries of lists and arrays are
                named by their indices, from 0; along an axis that is as long as `classes`, by the
                names of the classes.
            classes: The names of the classes; default: `self.classes`.

        Raises:
            ValueError: Two entries get the same name.

        Example:
            >>> Result({"all": {"top1": 0.5}, "language=en": {"top1": 1}}).flat(sep="/")
            {'all/top1': 0.5, 'language=en/top1': 1.0}
        """
        found: dict[str, float] = {}
        for path, value in entries(self, self.classes if classes is None else classes):
            name = prefix + sep.join(path)
            if name in found:
                raise ValueError(f"two entries get the name {name!r}: use another sep")
            if isinstance(value, bool | int | float):
                found[name] = _as_float(value)
        return found

    def plain(self) -> dict[str, Any]:
        """Return the values without arrays, for JSON: dicts, lists, numbers, strings and None.

        Undefined values stay nan, which `json.dumps` writes as `NaN`. This is not standard JSON;
        `json.dumps(..., allow_nan=False)` raises an error instead.

        Example:
            >>> Result({"curve": np.array([0.5, 1.0]), "pair": (1, 2)}).plain()
            {'curve': [0.5, 1.0], 'pair': [1, 2]}
        """
        found: dict[str, Any] = plain(self)
        return found

    def to_pandas(self) -> pd.Series[Any]:
        """Return all values as a pandas Series, with one entry for each number or string.

        The index has one level for each level of nesting: for the result of slices, `.unstack(0)`
        is a table with a column for each slice.

        Raises:
            ModuleNotFoundError: pandas is not installed: `pip install pandas`.
        """
        with needed_for("to_pandas"):
            import pandas as pd

        found = list(entries(self, self.classes))
        depth = max((len(path) for path, _ in found), default=1)
        paths = [path + ("",) * (depth - len(path)) for path, _ in found]
        index = pd.MultiIndex.from_tuples(paths) if depth > 1 else pd.Index([p for (p,) in paths])
        return pd.Series([value for _, value in found], index, name="value")

    def _tables(self) -> list[tuple[list[list[str]], str, list[str]]]:
        """Return the tables that show all values: rows of texts, a caption, and names of columns.

        One without names of columns has the name, the value and the interval (or "") of numbers
        and strings.
        """
        rest, grids = without_grids(self, self.classes)
        found = dict(entries(rest, self.classes))
        intervals: dict[tuple[str, ...], str] = {}
        ends: set[tuple[str, ...]] = set()
        for path in found:
            for at, key in enumerate(path):
                low, high = ((*path[:at], f"{key}_{end}", *path[at + 1 :]) for end in _ENDS)
                if low in found and high in found:
                    intervals[path] = f"[{found[low]:.4g}, {found[high]:.4g}]"
                    ends |= {low, high}
        spans = self._spans()
        rows = [
            [
                *(" ".join(path), str(value), intervals.get(path, "")),
                *[spans.get(path, "")] * bool(spans),
            ]
            for path, value in found.items()
            if path not in ends
        ]
        count = [] if self.samples is None else [f"{self.samples} samples"]
        caption = "; ".join([*self.metrics, *count, *told(self.accounts), *axes_of(found)])
        tables = [(one.texts, one.title, one.head) for one in grids]
        if rows or not tables:
            head = ["", "value", "interval", "worst to best"] if spans else []
            return [(rows, caption, head), *tables]
        (texts, title, head), *others = tables
        return [(texts, "; ".join(filter(None, (caption, title))), head), *others]

    def _spans(self) -> dict[tuple[str, ...], str]:
        """Return the worst and the best value, where samples have no score, by path."""
        found = {}
        for path, account in every(self.accounts):
            worst, best = (
                entries({key: ends[at] for key, ends in account.bounds.items()}, self.classes, path)
                for at in (0, 1)
            )
            for (at, low), (_, high) in zip(worst, best, strict=True):
                found[at] = f"{low:.4g} to {high:.4g}"
        return found

    def _repr_html_(self) -> str:
        return "".join(as_html(*table) for table in self._tables())

    def __rich__(self) -> Any:
        """Return the tables that rich prints."""
        usual = ("", "value", "interval")
        tables = [(rows, title, head or usual) for rows, title, head in self._tables()]
        return as_group(tables)


def axes_of(paths: Iterable[Sequence[str]]) -> list[str]:
    """Return a line that says what the axes of confusion matrices are; empty if there are none.

    Args:
        paths: The names that lead to each number, as `entries` yields them.

    Example:
        >>> axes_of([("confusion_matrix", "cat", "dog")])
        ['confusion_matrix: the label, then the prediction']
    """
    there = any("confusion_matrix" in path[:-2] for path in paths)
    return ["confusion_matrix: the label, then the prediction"] * there


def entries(
    value: Any, classes: Sequence[str] | None, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every value that is not a container, with the names that lead to it."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        pairs = [(str(key), entry) for key, entry in value.items()]
    elif isinstance(value, list | tuple):
        named = classes is not None and len(classes) == len(value)
        names = map(str, classes if named and classes else range(len(value)))
        pairs = list(zip(names, value, strict=True))
    else:
        yield path, value
        return
    for key, entry in pairs:
        yield from entries(entry, classes, (*path, key))


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond the largest float
        return math.inf if value > 0 else -math.inf


def plain(value: Any) -> Any:
    """Return a value without arrays: dicts with strings as keys, lists, numbers, strings, None."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
