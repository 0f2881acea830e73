"""Recomputing the metrics of a log, and comparing them with those of the harness."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Real
from typing import Any

from mmeval_like.logs.log import Aggregate, Log, LogError, Scores
from mmeval_like.logs.rules import (
    OF_PARTS,
    RULES,
    mean_of_groups,
    one_after_another,
    pooled_error,
    standard_error,
)
from mmeval_like.metrics import Mean

__all__ = ["Number", "compared"]

_CLOSE, _SINGLE = 1e-12, 1e-5
_OF_WHOLE = ("stderr", "bootstrap", "pooled")  # not computed for slices
_OF_NUMBERS = {"stderr", "mean of all", "pooled", *RULES} - OF_PARTS


@dataclass(frozen=True)
class Number:
    """An aggregate of one score of one task, recomputed and compared.

    Attributes:
        task: The task's name.
        score: The score's name, and after a comma the filter or reducer that produced its values.
        name: The aggregate's name, for instance "mean".
        value: The value recomputed from the samples of the log; None if it is not computed here.
        harness: The value that the harness wrote; None if it wrote none.
        samples: The number of samples that are aggregated.
        same: Whether both values are equal, to the last bit.
        remarks: The reasons why they are not, and other remarks for the reader.
        low: The lower end of a mean's interval.
        high: The upper end of a mean's interval.
        thin: Why the interval's coverage may be below its level; None if it is not, or without an
            interval.
    """

    task: str
    score: str
    name: str
    value: float | None
    harness: float | None
    samples: int
    same: bool
    remarks: tuple[str, ...]
    low: float | None = None
    high: float | None = None
    thin: str | None = None


def compared(
    log: Log,
    cluster: str | None = None,
    level: float = 0.95,
    slices: Callable[[Scores], Iterable[tuple[str, list[int]]]] = lambda _: (),
) -> list[Number]:
    """Return all aggregates of a log.

    Args:
        log: The log.
        cluster: A field of the samples; samples with equal values belong together, such as
            questions about the same text.
        level: The level of the intervals.
        slices: A function that returns the name and the samples of every slice of a score.

    Raises:
        LogError: No task has the field `cluster`.
    """
    fields = {name for scores in log.scores for name in scores.fields}
    if cluster is not None and cluster not in fields:
        known = ", ".join(sorted(fields)) or "none"
        raise LogError(f"{log.files[0]}: no field {cluster!r} in its samples; they have {known}")
    found: list[Number] = []
    for scores in log.scores:
        found += _numbers(scores, cluster, level, [*slices(scores)])
    return found


def _numbers(
    scores: Scores, cluster: str | None, level: float, slices: Sequence[tuple[str, list[int]]]
) -> Iterator[Number]:
    for aggregate in scores.aggregates:
        chosen = [*range(len(scores.values))]
        if aggregate.where is not None:
            name, wanted = aggregate.where
            column = scores.fields.get(name, ())
            chosen = [i for i, value in enumerate(column) if str(value) == wanted]
        yield _number(scores, aggregate, chosen, cluster, level)
        if aggregate.where is not None or aggregate.rule in _OF_WHOLE:
            continue
        for name, inside in slices:
            of_slice = replace(aggregate, name=f"{aggregate.name}, {name}", value=None)
            yield _number(scores, of_slice, inside, cluster, level)


def _number(
    scores: Scores, found: Aggregate, chosen: list[int], cluster: str | None, level: float
) -> Number:
    """Return one recomputed aggregate."""
    values = [scores.values[i] for i in chosen]
    wrote = found.value
    if not isinstance(wrote, Real | None):
        found = replace(found, value=None)
    try:
        value, remarks = _value(scores, found, chosen, cluster)
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        value, remarks = None, [f"{found.rule!r} is not defined for the scores: {error}"]
    if value is not None and found.value is not None and value != found.value:
        remarks.insert(0, _why(found, value, values))
    elif value is None and found.rule == "bootstrap":
        remarks.append("drawn at random (bootstrap): not recomputed")
    elif value is None and not remarks:
        remarks.append(f"{found.rule!r} is not computed here")
    if wrote is not found.value:
        remarks.append(f"the harness's number is none: {wrote!r:.40}")
    ends = _ends(found, values, level) if value is not None else None
    same = value is not None and value == found.value
    return Number(
        scores.task, scores.label, found.name, value, found.value, len(values), same,
        tuple(remarks), *(ends or ()),
    )  # fmt: skip


def _value(
    scores: Scores, found: Aggregate, chosen: list[int], cluster: str | None
) -> tuple[float | None, list[str]]:
    """Return a recomputed value (None if it is not computed), and remarks about it.

    Raises:
        ArithmeticError, AttributeError, TypeError, ValueError: The rule is not for such scores.
    """
    values = [scores.values[i] for i in chosen]
    exact: Any = [scores.exact[i] for i in chosen] if scores.exact else values
    value: float | None = None
    remarks: list[str] = []
    endless = sum(isinstance(v, float) and not math.isfinite(v) for v in values)
    odd = [i for i in chosen if not isinstance(scores.values[i], Real)]
    if not values:
        remarks.append("none of the samples belongs to it")
    elif odd and found.rule in _OF_NUMBERS:
        first = f"sample {scores.ids[odd[0]]!r} has {scores.values[odd[0]]!r:.40}"
        remarks.append(f"{len(odd)} of {len(values)} scores are not numbers: {first}")
    elif endless:
        remarks.append(f"{endless} of {len(values)} scores are nan or infinite")
    elif found.rule == "stderr":
        groups = scores.fields.get(found.cluster or "")
        own = [groups[i] for i in chosen] if groups else None
        value = standard_error([*map(Fraction, exact)], own)
        if math.isnan(value):
            value = None
            remarks.append(f"undefined: all samples have one {found.cluster!r}")
        remarks += _about_clusters(scores, found, chosen, exact, cluster)
    elif found.rule in ("mean of all", "pooled"):
        value, about = _of_tasks(found, [*map(Fraction, exact)], scores.fields["task"])
        remarks.append(about)
    elif found.rule in RULES:
        parts = found.rule in OF_PARTS
        try:
            value = RULES[found.rule](exact if parts else [*map(Fraction, exact)])
        except ImportError as error:
            remarks.append(str(error))
    return value, remarks


def _of_tasks(
    found: Aggregate, values: Sequence[Fraction], tasks: Sequence[Any]
) -> tuple[float, str]:
    """Return an aggregate of a group of tasks, and a remark that explains it."""
    if found.rule == "pooled":
        return pooled_error(values, tasks), (
            "of deviations within tasks, which holds for these tasks only"
        )
    pooled, apart = RULES["mean"](values), mean_of_groups(values, tasks)
    theirs = math.nan if found.value is None else found.value
    if abs(apart - theirs) < abs(pooled - theirs):
        return apart, "the unweighted mean of the tasks' means"
    return pooled, "the mean of all samples of the tasks"


def _why(found: Aggregate, value: float, values: Sequence[Any]) -> str:
    """Return why the harness's value differs."""
    theirs = found.value
    assert theirs is not None
    if found.rule.startswith("mean") and theirs == one_after_another(values):
        return "the harness rounds after every addition; this mean is rounded once"
    half = len(values) // 2
    if found.rule == "median" and theirs == values[half]:
        return (
            "not the median: the harness takes the value in the middle of the file, without sorting"
        )
    if found.rule == "median" and theirs == sorted(values)[half]:
        return "not the median: the harness takes the larger of the two middle values"
    if found.single and math.isclose(value, theirs, rel_tol=_SINGLE):
        return "the harness computes this number in single precision"
    if math.isclose(value, theirs, rel_tol=_CLOSE, abs_tol=1e-300):
        return "the harness rounds intermediate results; this number is rounded once"
    return "DIFFERS: the harness's number does not follow from the scores in this log"


def _about_clusters(
    scores: Scores, found: Aggregate, chosen: list[int], exact: Any, cluster: str | None
) -> Iterator[str]:
    """Yield the standard error for clusters of samples, which the harness did not consider."""
    questions = [scores.ids[i] for i in chosen]
    together = {"question": questions} if len(set(map(str, questions))) < len(chosen) else {}
    if cluster in scores.fields and cluster != found.cluster:
        together[cluster] = [scores.fields[cluster][i] for i in chosen]  # type: ignore[index]
    for name, groups in together.items():
        error = standard_error([*map(Fraction, exact)], [str(group) for group in groups])
        count = len(set(map(str, groups)))
        known = f"as {count} groups of {name!r} it is {error:.6g}"
        if math.isnan(error):
            known = f"all have the same {name!r}, so it is undefined"
        yield f"the harness treats {len(chosen)} samples as independent; {known}"


def _ends(
    found: Aggregate, values: Sequence[Any], level: float
) -> tuple[float, float, str | None] | None:
    """Return the interval of a mean, and why it may be thin; None for other aggregates."""
    if found.rule != "mean":
        return None
    bounded = all(0 <= value <= 1 for value in values)
    metric = Mean(bounds=(0.0, 1.0) if bounded else None, interval=level)
    metric.add([float(value) for value in values])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about thin intervals, which are marked
        metric.compute_local()
    one = metric.intervals["mean"]
    return None if math.isnan(one.low) else (one.low, one.high, one.thin)
