"""The requirements of `--require` on values, such as `accuracy.top1>=0.9`."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mmeval_like._base.names import did_you_mean
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like._intervals.value_ranges import Ranges, is_share_of_percent
from mmeval_like.cli.errors import InputError

__all__ = ["Condition", "check_percentages", "missed", "parse_condition"]

_COMPARE = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(r"(?P<name>.+?)\s*(?P<sign>>=|<=|==|>|<)\s*(?P<bound>[^<>=]+)")


@dataclass(frozen=True)
class Condition:
    """A requirement on one value.

    Attributes:
        text: The requirement as the user wrote it.
        name: The name of the value.
        sign: The comparison operator.
        bound: The bound with which the value is compared.
    """

    text: str
    name: str
    sign: str
    bound: float

    def holds(self, value: float) -> bool:
        """Return whether a value meets the requirement; nan never does."""
        return bool(_COMPARE[self.sign](value, self.bound))


def parse_condition(text: str) -> Condition:
    """Return the condition that a string describes.

    Raises:
        InputError: The string is not a condition.

    Example:
        >>> parse_condition("accuracy.top1>=0.9").holds(0.9)
        True
    """
    found = _FORM.fullmatch(text.strip())
    try:
        if found is None:
            raise ValueError(text)
        return Condition(text, found["name"], found["sign"], float(found["bound"]))
    except ValueError:
        wanted = "a number's name, >=, <=, ==, > or <, and a bound: accuracy.top1>=0.9"
        raise InputError(f"--require must be {wanted}; got {text!r}") from None


def missed(conditions: Sequence[Condition], numbers: Mapping[str, Sequence[float]]) -> list[str]:
    """Return a line for every value that does not meet its condition.

    Args:
        conditions: The requirements.
        numbers: All values by name; several logs of one task have a number several times.

    Raises:
        InputError: A condition names an unknown value.
    """
    lines = []
    for condition in conditions:
        if condition.name not in numbers:
            hint = did_you_mean(condition.name, numbers) or f"; there are {', '.join(numbers)}"
            raise InputError(f"--require {condition.text}: no number {condition.name!r}{hint}")
        lines += [
            f"required {condition.text}, got {value!r}"
            for value in numbers[condition.name]
            if not condition.holds(value)
        ]
    return lines


def check_percentages(conditions: Sequence[Condition], ranges: Mapping[str, Ranges]) -> None:
    """Raise InputError if a condition requires a share of a value that is a percentage.

    Args:
        conditions: The requirements.
        ranges: The ranges of the values of each metric, by the metric's name.
    """
    for condition in conditions:
        slice_, of_slice, number = condition.name.rpartition("/")
        name = next((n for n in ranges if number.startswith(f"{n}.")), None)
        if name is None or condition.sign not in (">=", ">"):
            continue
        key = number.removeprefix(f"{name}.")
        if is_share_of_percent(condition.bound, range_of(ranges[name], key)):
            cure = f"{slice_}{of_slice}{number}{condition.sign}{100 * condition.bound:g}"
            raise InputError(
                f"--require {condition.text}: this number is a percentage: write {cure}, or "
                f"--metric {name}{',' if ':' in name else ':'}percent=false"
            )
