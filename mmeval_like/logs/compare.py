"""Recomputing the metrics of a log, and comparing them with those of the harness."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from numbers import Real
from typing import Any

from mmeval_like._base.account import Account
from mmeval_like.logs.log import LEFT_OUT, Aggregate, Log, LogError, Scores, bounds_of
from mmeval_like.logs.rules import (
    OF_PARTS,
    RULES,
    error_of_groups,
    mean_of_groups,
    one_after_another,
    pooled_error,
    standard_error,
)
from mmeval_like.metrics import Mean

__all__ = [
    "BETWEEN",
    "Number",
    "account",
    "check_clusters",
    "compared",
    "counted",
    "no_worst_case",
    "refusal",
]

BETWEEN = "scores are taken to lie between 0 and 1, as all known ones do"
"""What is said of the worst case of scores whose bounds no log says."""

_CLOSE, _SINGLE = 1e-12, 1e-5
_OF_WHOLE = ("stderr", "bootstrap", "pooled")  # not computed for slices
_OF_NUMBERS = {"stderr", "mean of all", "mean of groups", "pooled", *RULES} - OF_PARTS


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
        planned: The number of samples that should have a score.
        unscored: The number of samples without a score, by reason, with those of which only some
            repeats have none.
        counted: What these count as, as `counted` says it.
        worst: The value if all samples without a score had the worst one; None if it is unknown.
        best: The same for the best one.
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
    planned: int = 0
    unscored: Mapping[str, int] = field(default_factory=dict)
    counted: str = ""
    worst: float | None = None
    best: float | None = None


def compared(
    log: Log,
    cluster: str | None = None,
    level: float = 0.95,
    slices: Callable[[Scores], Iterable[tuple[str, list[int]]]] = lambda _: (),
    rule: float | str | None = None,
) -> list[Number]:
    """Return all aggregates of a log.

    Args:
        log: The log.
        cluster: A field of the samples; samples with equal values belong together, such as
            questions about the same text. Intervals, and standard errors in remarks, are those of
            the clusters.
        level: The level of the intervals.
        slices: A function that returns the name and the samples of every slice of a score.
        rule: What samples without a score count as: "drop", "bounds", "refuse" or a number; None:
            what the harness did.

    Raises:
        LogError: No task has the field `cluster`, only some samples of a task have it, or samples
            have no score and `rule` refuses them.
    """
    fields = {name for scores in log.scores for name in scores.fields}
    if cluster is not None and cluster not in fields:
        known = ", ".join(sorted(fields)) or "none"
        raise LogError(f"{log.files[0]}: no field {cluster!r} in its samples; they have {known}")
    found: list[Number] = []
    for scores in log.scores:
        if rule == "refuse" and account(scores).unscored:
            raise LogError(f"{log.files[0]}: {scores.task} {scores.label}: {refusal(scores)}")
        if cluster is not None:
            check_clusters(scores.under(rule) if rule in (None, "drop") else scores, cluster)
        found += _numbers(scores, cluster, level, [*slices(scores)], rule)
    return found


def check_clusters(scores: Scores, field: str) -> None:
    """Raise LogError if only some samples have the field of the clusters: others would be one."""
    values = scores.fields.get(field, [])
    blank = [v is None or (isinstance(v, str) and not v.strip()) for v in values]
    if any(blank):
        raise LogError(
            f"--cluster {field}: {sum(blank)} of {len(values)} samples of {scores.task} have no "
            f"such field, the first is {scores.ids[blank.index(True)]!r}"
        )


def account(scores: Scores) -> Account:
    """Return the account of the samples of a score.

    Samples of which only some repeats have no score are counted, too, with the reason `PARTLY`.
    """
    return Account(len(scores.values), Counter(sorted(filter(None, scores.lacking("refuse")))))


def counted(scores: Scores, rule: float | str | None) -> str:
    """Return what the samples of `account` count as by a rule; "" if all have a score.

    It is said by reason where reasons differ, for instance "error left out, nan counted as 0.0".
    """
    under = scores.of_known_repeats() if rule in ("drop", "bounds") else scores
    ways: dict[str, list[str]] = {}
    for place, reason in enumerate(scores.lacking("refuse")):
        if reason is not None:
            known = ways.setdefault(_way(under, place, rule), [])
            known += [reason] if reason not in known else []
    if len(ways) < 2:
        return "".join(ways)
    return ", ".join(f"{' and '.join(reasons)} {way}" for way, reasons in ways.items())


def _way(scores: Scores, place: int, rule: float | str | None) -> str:
    """Return what a sample without a score counts as, or its repeats without one."""
    value = scores.values[place]
    known = [one for one in scores.repeats[place] if one is not None] if scores.repeats else []
    if rule not in (None, "drop", "bounds"):
        way = f"counted as {rule}"
    elif value is LEFT_OUT or (rule is not None and not known):
        return "left out"
    elif known and scores.reduce is not None and scores.exact is not None:
        others = scores.exact[place] == scores.reduce(known)
        way = "left out" if others else "left out, or counted as 0 if unparseable"
    elif value is None:  # no mean of the harness is defined
        way = "undefined with these; --unscored says what they count as"
    else:
        way = f"counted as {value!r:.20}"
    return f"{way} (these repeats alone)" if known else way


def refusal(scores: Scores) -> str:
    """Return how many samples have no score, and what can be done."""
    return (
        f"{account(scores).said()}: --unscored drop leaves the others out, a number such as 0 is "
        f"their score, and bounds is from the worst to the best that they may be"
    )


def no_worst_case(said: str) -> str:
    """Return why the rule "bounds" does not apply to scores of an unknown range.

    Args:
        said: How many samples have a score.
    """
    return (
        f"{said}: there is no worst case, since the range of the score is "
        f"unknown: --unscored drop leaves the others out, and a number is theirs"
    )


def _numbers(
    scores: Scores,
    cluster: str | None,
    level: float,
    slices: Sequence[tuple[str, list[int]]],
    rule: float | str | None,
) -> Iterator[Number]:
    for aggregate in scores.aggregates:
        chosen = [*range(len(scores.values))]
        if aggregate.where is not None:
            name, wanted = aggregate.where
            column = scores.fields.get(name, ())
            chosen = [i for i, value in enumerate(column) if str(value) == wanted]
        yield _number(scores.only(chosen), aggregate, cluster, level, rule)
        if aggregate.where is not None or aggregate.rule in _OF_WHOLE:
            continue
        for name, inside in slices:
            of_slice = replace(aggregate, name=f"{aggregate.name}, {name}", value=None)
            yield _number(scores.only(inside), of_slice, cluster, level, rule)


def _number(
    planned: Scores, found: Aggregate, cluster: str | None, level: float, rule: float | str | None
) -> Number:
    """Return one recomputed aggregate of the samples that are planned for it."""
    of_all = account(planned)
    ends_of = _bounds(planned, found)
    if rule == "bounds" and ends_of is None and found.rule == "mean" and of_all.unscored:
        raise LogError(f"{planned.task} {planned.label}: {no_worst_case(of_all.said())}")
    scores = planned.under("drop" if rule == "bounds" else rule)
    chosen, values = [*range(len(scores.values))], scores.values
    wrote = found.value
    if not isinstance(wrote, Real | None):
        found = replace(found, value=None)
    try:
        value, remarks = _value(scores, found, chosen, cluster)
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        value, remarks = None, [f"{found.rule!r} is not defined for the scores: {error}"]
    if rule is not None and len(of_all.unscored):
        if value != found.value:
            remarks.insert(0, f"by --unscored {rule}, and not as the harness counts")
    elif value is not None and found.value is not None and value != found.value:
        remarks.insert(0, _why(found, value, values))
    elif value is None and found.rule == "bootstrap":
        remarks.append("drawn at random (bootstrap): not recomputed")
    elif value is None and not remarks:
        remarks.append(f"{found.rule!r} is not computed here")
    if wrote is not found.value:
        remarks.append(f"the harness's number is none: {wrote!r:.40}")
    ends = None if value is None else _ends(found, scores, level, cluster)
    low, high, thin = ends or (None, None, None)
    if ends is not None and cluster is not None and cluster not in scores.fields:
        remarks.append(f"no field {cluster!r}: the interval treats the samples as independent")
    if low is not None and rule == "bounds" and ends_of and of_all.unscored:
        sides = [_ends(found, planned.under(end), level, cluster) for end in (0, 1)]
        if sides[0] is not None and sides[1] is not None:
            low, high, thin = sides[0][0], sides[1][1], sides[0][2] or sides[1][2]
    if ends_of and of_all.unscored and not {0, 1} >= {*_known(planned)}:
        remarks.append(BETWEEN)
    same = value is not None and value == found.value
    worst, best = ends_of or (None, None)
    return Number(
        scores.task, scores.label, found.name, value, found.value, len(values), same,
        tuple(remarks), low, high, thin, of_all.planned, of_all.unscored,
        counted(planned, rule), worst, best,
    )  # fmt: skip


def _known(planned: Scores) -> list[Any]:
    """Return the values of the samples that have a score."""
    pairs = zip(planned.values, planned.lacking("drop"), strict=True)
    return [value for value, why in pairs if why is None]


def _bounds(planned: Scores, found: Aggregate) -> tuple[float, float] | None:
    """Return the worst and the best mean that samples without a score allow; None: unknown."""
    known = bounds_of(_known(planned), planned.higher_is_better)
    if found.rule != "mean" or known is None or not any(planned.lacking("bounds")):
        return None
    ends = [RULES["mean"]([*map(Fraction, one.exact or one.values)])
            for one in map(planned.under, known)]  # fmt: skip
    low, high = ends
    return (high, low) if planned.higher_is_better is False else (low, high)


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
    if found.where is not None and found.where[0] not in scores.fields:
        remarks.append(f"no sample has a text or a number in the field {found.where[0]!r}")
    elif not values:
        remarks.append("none of its samples has a score")
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
    elif found.rule == "mean of groups" and (column := scores.fields.get(found.cluster or "")):
        groups = [str(group) for group in column]
        value = mean_of_groups([*map(Fraction, exact)], groups)
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
    """Return an aggregate of a group of tasks, and a remark that explains it.

    lm-eval has two means of a group. Its versions before 0.4.13 have one standard error for both.
    """
    of_all, of_tasks = "the mean of all samples", "the unweighted mean of the tasks' means"
    if found.rule == "pooled":
        within = "by deviations within tasks; it holds for these tasks only"
        both = [
            (pooled_error(values, tasks), f"of {of_all}, {within}"),
            (error_of_groups(values, tasks), f"of {of_tasks}, {within}"),
        ]
    else:
        both = [
            (RULES["mean"](values), f"{of_all} of the tasks"),
            (mean_of_groups(values, tasks), of_tasks),
        ]
    theirs = math.nan if found.value is None else found.value
    return min(both, key=lambda one: abs(one[0] - theirs))


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
    found: Aggregate, scores: Scores, level: float, cluster: str | None
) -> tuple[float, float, str | None] | None:
    """Return the interval of a mean, and why it may be thin; None for other aggregates."""
    if found.rule != "mean":
        return None
    metric = Mean(bounds=bounds_of(scores.values, scores.higher_is_better), interval=level)
    groups = scores.fields.get(cluster or "")
    metric.add(
        [float(value) for value in scores.values],
        clusters=None if groups is None else [str(group) for group in groups],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about thin intervals, which are marked
        metric.compute_local()
    one = metric.intervals["mean"]
    return None if math.isnan(one.low) else (one.low, one.high, one.thin)
