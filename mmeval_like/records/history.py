"""Records over time: what changed from one to the next, and whether it may be chance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mmeval_like._inference.quantiles import normal_quantile
from mmeval_like.errors import needed_for

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "history", "record_log"]

COLUMNS = (
    *("time", "record", "slice", "metric", "number", "value", "low", "high", "samples"),
    *("difference", "difference_low", "difference_high", "verdict"),
)


def record_log(records: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the numbers of records over time as a data frame, one line for each number.

    Each is compared with the same number of the record before it that has it. The interval of the
    difference is made of both standard errors, as if the samples were independent. Of the same
    samples it is wider than need be, since two systems err on the same difficult samples: what it
    shows is real, and what it does not show `Paired`, or the command `compare`, may still find.

    Args:
        records: What `Recorded.record` returned; in any order.

    Returns:
        The columns `time`, `record` (the beginning of its id), `slice`, `metric`, `number`,
        `value`, `low`, `high`, `samples`, `difference` from the one before, `difference_low`,
        `difference_high`, and `verdict`: "first", "same samples, same predictions", "real", "may
        be chance", "may be chance; compare pairs the samples", "unknown" without intervals.

    Raises:
        ValueError: Something that is no record.
        ModuleNotFoundError: pandas is not installed: `pip install pandas`.
    """
    with needed_for("record_log"):
        import pandas as pd

    return pd.DataFrame(history(records), columns=[*COLUMNS])


def history(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
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
    lines: list[dict[str, Any]] = []
    before: dict[tuple[str, ...], tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
    try:
        for record in sorted(records, key=lambda one: str(one["made"]["time"])):
            claim = record["claim"]
            if not isinstance(record["made"]["time"], str):
                raise TypeError("its time is no text")
            for which, members in claim["values"].items():
                for name, numbers in members.items():
                    identity = claim["metrics"][name]["identity"]
                    for key, number in numbers.items():
                        if "hex" not in number:
                            continue
                        place = (which, name, key, identity)
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
                        }
                        lines.append(line | _change(before.get(place), number, claim))
                        before[place] = number, claim
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise ValueError(f"no record, or a damaged one: {error!r}") from error
    return lines


def _change(
    before: tuple[Mapping[str, Any], Mapping[str, Any]] | None,
    now: Mapping[str, Any],
    claim: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the difference of a number from the one before, and what it says."""
    nothing = dict.fromkeys(("difference", "difference_low", "difference_high"), math.nan)
    if before is None:
        return nothing | {"verdict": "first"}
    old, other = before
    difference = float.fromhex(now["hex"]) - float.fromhex(old["hex"])
    if claim["rows"]["digest"] == other["rows"]["digest"]:
        return nothing | {"difference": difference, "verdict": "same samples, same predictions"}
    errors = [_float(one, "standard_error") for one in (old, now)]
    if any(map(math.isnan, errors)):
        return nothing | {"difference": difference, "verdict": "unknown"}
    quantile = normal_quantile((1 + float(now["level"])) / 2)
    arm = float(quantile) * math.hypot(*errors)
    ends = {"difference_low": difference - arm, "difference_high": difference + arm}
    verdict = "real" if abs(difference) > arm else "may be chance"
    if verdict != "real" and "ids" in claim and claim["ids"] == other.get("ids"):
        verdict += "; compare pairs the samples"
    return {"difference": difference, **ends, "verdict": verdict}


def _float(number: Mapping[str, Any], name: str) -> float:
    return float.fromhex(number.get(name, "nan"))
