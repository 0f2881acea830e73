"""Records over time: the changes from one to the next, and whether they may be chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mmeval_like._base.optional import needed_for
from mmeval_like._intervals.independent import difference_of
from mmeval_like._intervals.interval import Interval, unknown
from mmeval_like._intervals.spanning import between
from mmeval_like._verdicts.differences import apart
from mmeval_like._verdicts.repeated import over_time
from mmeval_like.records.canonical import digest_of
from mmeval_like.records.claim import account_in, check_unchanged
from mmeval_like.records.pairing import Pairs, paired
from mmeval_like.records.recorded import Recorded

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "history", "record_log"]

COLUMNS = (
    *("time", "record", "slice", "metric", "number", "value", "low", "high", "thin", "samples"),
    *("difference", "difference_low", "difference_high", "p", "p_adjusted", "paired", "verdict"),
)


def record_log(
    records: Sequence[Mapping[str, Any]], samples: Sequence[Recorded] = ()
) -> pd.DataFrame:
    """Return the numbers of records over time as a data frame, one line for each number.

    Each number is compared with the same number in the previous record that has it. If both records
    are about the same samples, and these are given, the samples are paired by their ids, as in
    `Paired`. Otherwise, the interval of the difference is computed from both intervals, as if the
    samples were independent: the squares of their arms add up (R. G. Newcombe, Interval estimation
    for the difference between independent proportions, Statist. Med. 17, 1998). For the same
    samples this interval is too wide, since two systems err on the same difficult samples:
    differences that it shows are real, and pairing may find more.

    In 30 nights of a model that never changes, most logs would have a night with a p-value below
    0.05. The p-values are therefore corrected for the whole log: a log of such a model reports any
    difference with a probability of at most 5%, however long it grows, and the verdict on a record
    does not change when others follow. The numbers of one record are corrected by Holm's method,
    and those of the t-th record that has any comparisons are multiplied by t (t + 1), since 1 / (t
    (t + 1)) adds up to 1 (J. Tian and A. Ramdas, Online control of the familywise error rate, Stat.
    Methods Med. Res. 30, 2021). The intervals are those of single differences.

    Args:
        records: What `Recorded.record` returned; in any order.
        samples: The samples of some of the records, in any order: `Recorded` metrics with ids,
            after `compute`.

    Returns:
        The columns `time`, `record` (the beginning of its id), `slice`, `metric`, `number`,
        `value`, `low`, `high`, `thin` (why the interval has a mark; None: it has none), `samples`
        of the slice (None: the record does not say how many it has), `difference` from the previous
        value, `difference_low`, `difference_high`, `p` (of only this difference), `p_adjusted`
        (which allows for the log; a difference is real below 1 - level), `paired` (whether the
        samples were), and `verdict`: "first", "same samples, same predictions", "real", "may be
        chance", "undecided: " and the reason if an interval has a mark, either of these with ";
        compare pairs the samples", or "unknown" without intervals.

    Raises:
        ValueError: An entry is not a record, or was changed; or samples belong to no record.
        RuntimeError: `compute` was not called on one of `samples`.
        ModuleNotFoundError: pandas is not installed: `pip install pandas`.
    """
    with needed_for("record_log"):
        import pandas as pd

    return pd.DataFrame(history(records, samples), columns=[*COLUMNS])


@dataclass(frozen=True)
class _Evaluation:
    """A record, and the samples that it was made of, if they are given."""

    record: Mapping[str, Any]
    samples: Recorded | None

    def pairs(self, before: _Evaluation) -> Pairs:
        """Return the paired differences from another evaluation; empty if there are no pairs."""
        ids = [one.record["claim"].get("ids") for one in (self, before)]
        if self.samples is None or before.samples is None or ids[0] is None or ids[0] != ids[1]:
            return {}
        return paired(before.samples, self.samples)


def history(
    records: Sequence[Mapping[str, Any]], samples: Sequence[Recorded] = ()
) -> list[dict[str, Any]]:
    """Return the lines of `record_log` as dicts; it describes the errors.

    Example:
        >>> from mmeval_like import Accuracy, Recorded
        >>> records = []
        >>> for hits in (50, 80):
        ...     metric = Recorded(Accuracy(interval=0.95))
        ...     metric.add([1] * hits + [0] * (100 - hits), [1] * 100, ids=range(100))
        ...     _ = metric.compute()
        ...     records.append(metric.record())
        >>> [(line["value"], line["verdict"]) for line in history(records)]
        [(0.5, 'first'), (0.8, 'real')]
    """
    for one in records:
        check_unchanged(one)
    known = {_about(one.record()): one for one in samples}
    try:
        evaluations = [_Evaluation(one, known.get(_about(one))) for one in records]
        evaluations.sort(key=lambda one: str(one.record["made"]["time"]))
        found = _lines(evaluations)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise ValueError(f"not a record, or damaged: {error!r}") from error
    if lone := known.keys() - {_about(record) for record in records}:
        raise ValueError(f"{len(lone)} of the samples were given without their record")
    return found


def _about(record: Mapping[str, Any]) -> tuple[str, str]:
    """Return the texts that identify the samples and the metrics of a record."""
    claim = record["claim"]
    return str(claim["rows"]["digest"]), digest_of(claim["metrics"])


def _lines(evaluations: Sequence[_Evaluation]) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    before: dict[tuple[str, ...], tuple[_Evaluation, Mapping[str, Any]]] = {}
    compared = 0  # the number of records that were compared with an earlier one
    for now in evaluations:
        record, claim = now.record, now.record["claim"]
        if not isinstance(record["made"]["time"], str):
            raise TypeError("its time is not a string")
        pairs: dict[int, Pairs] = {}  # with each evaluation that is compared
        own: list[dict[str, Any]] = []
        for (which, name, key), number in _floats(claim):
            account = account_in(claim, which)
            line = {
                "time": record["made"]["time"],
                "record": record["id"][:12],
                "slice": which,
                "metric": name,
                "number": key,
                "value": float.fromhex(number["hex"]),
                "low": _float(number, "low"),
                "high": _float(number, "high"),
                "thin": number.get("thin"),
                "samples": None if account is None else account.planned,
                **dict.fromkeys(_CHANGES, math.nan),
                **{"paired": False, "verdict": "first"},
            }
            place = (which, name, key, claim["metrics"][name]["identity"])
            if place in before:
                earlier, old = before[place]
                if id(earlier) not in pairs:
                    pairs[id(earlier)] = now.pairs(earlier)
                pair = pairs[id(earlier)].get((which, name, key))
                line |= _change(earlier.record["claim"], old, claim, number, pair)
            own.append(line)
            before[place] = now, number
        chances = [line["p"] for line in own]
        compared += not all(map(math.isnan, chances))
        for line, p in zip(own, over_time(chances, max(compared, 1)), strict=True):
            line["p_adjusted"] = p
            lines.append(_judged(line))
    return lines


def _judged(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line whose verdict says whether its difference is real."""
    interval, same_ids = line.pop(_INTERVAL, None), line.pop(_SAME_IDS, False)
    if interval is None:
        return line
    if math.isnan(line["p"]):
        return {**line, "verdict": "unknown"}
    found = apart(interval, line["p_adjusted"], better=None)
    if found.decided:
        return {**line, "verdict": "real"}
    verdict = "may be chance" if found.why is None else f"undecided: {found.why}"
    if same_ids and not line["paired"]:
        verdict += "; compare pairs the samples"
    return {**line, "verdict": verdict}


def _floats(
    claim: Mapping[str, Any],
) -> Iterator[tuple[tuple[str, str, str], Mapping[str, Any]]]:
    """Yield all numbers of a claim by slice, metric and key."""
    for which, members in claim["values"].items():
        for name, numbers in members.items():
            for key, number in numbers.items():
                if "hex" in number:
                    yield (which, name, key), number


_CHANGES = ("difference", "difference_low", "difference_high", "p", "p_adjusted")
_INTERVAL, _SAME_IDS = "interval", "same ids"  # keys of a line without a verdict yet


def _change(
    before: Mapping[str, Any],
    old: Mapping[str, Any],
    claim: Mapping[str, Any],
    now: Mapping[str, Any],
    pair: tuple[Interval, float] | None,
) -> dict[str, Any]:
    """Return the difference from the previous value; with a verdict only if there is no p."""
    difference = float.fromhex(now["hex"]) - float.fromhex(old["hex"])
    if claim["rows"]["digest"] == before["rows"]["digest"]:
        return {"difference": difference, "verdict": "same samples, same predictions"}
    same_ids = "ids" in claim and claim["ids"] == before.get("ids")
    interval, p = pair or _independent(old, now)
    ends = {"difference_low": interval.low, "difference_high": interval.high}
    found = {"difference": interval.value if pair else difference, **ends, "p": p}
    return {**found, "paired": pair is not None, _INTERVAL: interval, _SAME_IDS: same_ids}


def _independent(old: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[Interval, float]:
    """Return the difference of two numbers of records, as if their samples were independent."""
    found = difference_of(_interval_of(now), _interval_of(old))
    return found.interval, found.p


def _interval_of(number: Mapping[str, Any]) -> Interval:
    """Return the interval of a number of a record."""
    value = float.fromhex(number["hex"])
    if "level" not in number:
        return unknown(value, math.nan, 0, "there is no interval")
    low, high, error = (_float(number, name) for name in ("low", "high", "standard_error"))
    level, effective = float(number["level"]), _float(number, "effective")
    how = number["method"], number["unit"], int(number["units"])
    found = Interval(value, low, high, level, error, *how, effective, number["thin"])
    if "worst" not in number:
        return found
    return between(found, float(number["worst"]), float(number["best"]))


def _float(number: Mapping[str, Any], name: str) -> float:
    return float.fromhex(number.get(name, "nan"))
