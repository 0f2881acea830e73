"""The numbers in which two claims differ, to the last bit or beyond their last bits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from mmeval_like._base.keys import WHOLE
from mmeval_like.records.difference import Difference, both
from mmeval_like.records.forms import INEXACT

__all__ = ["TOLERANCE", "other_numbers"]

TOLERANCE = 1e-9
"""The largest relative difference of values whose last bits depend on the processor.

FID, MMD and ratings have differed by up to 64 units in the last place between processors.
"""


def other_numbers(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield the values and intervals of two claims that differ, by slice, metric and key."""
    exact = {name: one["exact"] for name, one in new["metrics"].items()}
    for which, slices in both(old["values"], new["values"]):
        for name, metrics in both(*slices):
            for key, (before, now) in both(*metrics):
                where = " ".join([*([which] if which != WHOLE else []), name, key])
                if not before or not now:
                    yield Difference("value", f"{where} is {'new' if now else 'missing'}")
                    continue
                yield from _number(where, before, now, exact.get(name, True))


def _number(
    where: str, old: Mapping[str, Any], new: Mapping[str, Any], exact: bool
) -> Iterator[Difference]:
    parts: dict[str, list[str]] = {"value": [], "interval": []}
    for field, (before, now) in both(old, new, None):
        if before == now:
            continue
        part = "value" if field in ("text", "hex", "sha256") else "interval"
        if not exact and (field in INEXACT or field in ("hex", "text")) and _near(before, now):
            continue
        parts[part].append(field)
    if parts["value"]:
        texts = [one.get("text") for one in (old, new)]
        if texts[0] == texts[1]:
            texts = [one.get("hex", one.get("sha256")) for one in (old, new)]
        yield Difference("value", f"{where}: {texts[1]} instead of {texts[0]}")
        return  # a different value also has a different interval
    for field in parts["interval"]:
        shown = [_shown(one.get(field)) for one in (old, new)]
        yield Difference("interval", f"{where} {field}: {shown[1]} instead of {shown[0]}")


def _near(old: Any, new: Any) -> bool:
    """Return whether two numbers are the same up to their last bits."""
    try:
        a, b = (float.fromhex(one) if "0x" in one else float(one) for one in (old, new))
    except (TypeError, ValueError):
        return False
    return math.isclose(a, b, rel_tol=TOLERANCE) or (math.isnan(a) and math.isnan(b))


def _shown(value: Any) -> str:
    return repr(float.fromhex(value)) if isinstance(value, str) and "0x" in value else repr(value)
