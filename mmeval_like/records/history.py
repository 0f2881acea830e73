"""Records over time: what changed from one to the next, and whether it may be chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mmeval_like._base.optional import needed_for
from mmeval_like._intervals.distributions import normal_quantile
from mmeval_like._intervals.interval import Interval
from mmeval_like.records.canonical import digest_of
from mmeval_like.records.claim import check_unchanged
from mmeval_like.records.pairing import Pairs, paired
from mmeval_like.records.recorded import Recorded

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "history", "record_log"]

COLUMNS = (
    *("time", "record", "slice", "metric", "number", "value", "low", "high", "samples"),
    *("difference", "difference_low", "difference_high", "p", "paired", "verdict"),
)


def record_log(
    records: Sequence[Mapping[str, Any]], samples: Sequence[Recorded] = ()
) -> pd.DataFrame:
    """Return the numbers of records over time as a data frame, one line for each number.

    Each is compared with the same number of the record before it that has it. Where both records
    are about the same samples, and these are given, they are paired by their ids, as `Paired` does.
    Else the interval of the difference is made of both standard errors, as if the samples were
    independent. Of the same samples it is wider than need be, since two systems err on the same
    difficult samples: what it shows is real, and what it does not show pairs may still find.

    Args:
        records: What `Recorded.record` returned; in any order.
        samples: What some of the records were made of, after `compute`: `Recorded` with the ids
            of its samples, in any order.

    Returns:
        The columns `time`, `record` (the beginning of its id), `slice`, `metric`, `number`,
        `value`, `low`, `high`, `samples`, `difference` from the one before, `difference_low`,
        `difference_high`, `p` (of pairs; nan without), `paired` (whether the samples were), and
        `verdict`: "first", "same samples, same predictions", "real", "may be chance", "may be
        chance; compare pairs the samples", "unknown" without intervals.

    Raises:
        ValueError: An entry is no record, or was changed; or samples belong to none of the records.
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
        """Return the differences from another one by pairs; none where there are no pairs."""
        ids = [one.record["claim"].get("ids") for one in (self, before)]
        if self.samples is None or before.samples is None or ids[0] is None or ids[0] != ids[1]:
            return {}
        return paired(before.samples, self.samples)


def history(
    records: Sequence[Mapping[str, Any]], samples: Sequence[Recorded] = ()
) -> list[dict[str, Any]]:
    """Return the lines of `record_log`, as dicts; errors as there.

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
        raise ValueError(f"no record, or a damaged one: {error!r}") from error
    if lone := known.keys() - {_about(record) for record in records}:
        raise ValueError(f"{len(lone)} of the samples were given without their record")
    return found


def _about(record: Mapping[str, Any]) -> tuple[str, str]:
    """Return what tells of which samples a record is, and of which metrics."""
    claim = record["claim"]
    return str(claim["rows"]["digest"]), digest_of(claim["metrics"])


def _lines(evaluations: Sequence[_Evaluation]) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    before: dict[tuple[str, ...], tuple[_Evaluation, Mapping[str, Any]]] = {}
    for now in evaluations:
        record, claim = now.record, now.record["claim"]
        if not isinstance(record["made"]["time"], str):
            raise TypeError("its time is no text")
        pairs: dict[int, Pairs] = {}  # with each evaluation that is compared
        for (which, name, key), number in _floats(claim):
            line = {
                "time": record["made"]["time"],
                "record": record["id"][:12],
                "slice": which,
                "metric": name,
                "number": key,
                "value": float.fromhex(number["hex"]),
                "low": _float(number, "low"),
                "high": _float(number, "high"),
                "samples": claim["samples"]["count"],
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
            lines.append(line)
            before[place] = now, number
    return lines


def _floats(
    claim: Mapping[str, Any],
) -> Iterator[tuple[tuple[str, str, str], Mapping[str, Any]]]:
    """Yield all numbers of a claim by slice, metric and key."""
    for which, members in claim["values"].items():
        for name, numbers in members.items():
            for key, number in numbers.items():
                if "hex" in number:
                    yield (which, name, key), number


_CHANGES = ("difference", "difference_low", "difference_high", "p")


def _change(
    before: Mapping[str, Any],
    old: Mapping[str, Any],
    claim: Mapping[str, Any],
    now: Mapping[str, Any],
    pair: tuple[Interval, float] | None,
) -> dict[str, Any]:
    """Return the difference of a number from the one before, and what it says."""
    difference = float.fromhex(now["hex"]) - float.fromhex(old["hex"])
    if claim["rows"]["digest"] == before["rows"]["digest"]:
        return {"difference": difference, "verdict": "same samples, same predictions"}
    if pair is not None:
        interval, p = pair
        ends = {"difference_low": interval.low, "difference_high": interval.high}
        verdict = "real" if p < 1 - interval.level else "may be chance"
        verdict = "unknown" if math.isnan(p) else verdict
        return {"difference": interval.value, **ends, "p": p, "paired": True, "verdict": verdict}
    errors = [_float(one, "standard_error") for one in (old, now)]
    if any(map(math.isnan, errors)):
        return {"difference": difference, "verdict": "unknown"}
    quantile = normal_quantile((1 + float(now["level"])) / 2)
    arm = float(quantile) * math.hypot(*errors)
    ends = {"difference_low": difference - arm, "difference_high": difference + arm}
    verdict = "real" if abs(difference) > arm else "may be chance"
    if verdict != "real" and "ids" in claim and claim["ids"] == before.get("ids"):
        verdict += "; compare pairs the samples"
    return {"difference": difference, **ends, "verdict": verdict}


def _float(number: Mapping[str, Any], name: str) -> float:
    return float.fromhex(number.get(name, "nan"))
