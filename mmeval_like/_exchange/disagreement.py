"""Disagreement: what each rank reports about its compute, and the error that all of them raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from mmeval_like._exchange.contribution import Contribution
from mmeval_like._exchange.envelope import UNKNOWN, Terms
from mmeval_like._exchange.failures import raise_trouble, trace
from mmeval_like._exchange.occurrence import distrust
from mmeval_like.backends.base import BaseDistBackend

__all__ = ["compare_constructed", "raise_disagreement", "tell"]


def tell(
    mine: Contribution, size: int | None, terms: Terms, failure: BaseException | None
) -> tuple[str | None, str]:
    """Return this rank's message to the others: its traceback, or what it was computing."""
    if failure is not None:
        return trace(failure), ""
    resets = "?" if terms.resets == UNKNOWN else terms.resets
    missing = "" if terms.strict else ", missing='report'"
    return None, (
        f"{mine.occurrence.described}, {resets} resets since the last compute(), "
        f"size={size}{missing}, of {mine.identity.text}"
    )


def compare_constructed(
    found: Sequence[Terms], mine: Contribution, group: object, backend: BaseDistBackend
) -> None:
    """If different metrics met, compare how many equal metrics each rank constructed."""
    differ = len({(terms.number, terms.digest) for terms in found}) > 1
    if differ and not any(terms.failed for terms in found):
        distrust(group, backend.all_gather_object(mine.occurrence.constructed(group)))


def raise_disagreement(
    found: Sequence[Terms],
    told: Sequence[tuple[str | None, str]],
    failure: BaseException | None,
) -> NoReturn:
    """Raise an error from the messages of all ranks, on every rank, with advice."""
    confused = len({(terms.number, terms.resets) for terms in found}) > 1
    raise_trouble(told, failure, _ORDER if confused else _OPTIONS)


_OPTIONS = """
Every rank must construct the same metrics with the same options, and call compute() with the same
size=, that of the whole dataset."""
_ORDER = """
Equal metrics are distinguished by the order in which they are constructed, and their evaluations by
reset(): both must be the same on every rank. Were two metrics computed in different order, or was
a compute() or a constructor called on some ranks only? A `name=` that is given to a metric's
constructor makes it unique. A program that goes on after this error must construct the
metric again, or call reset() until all ranks have called it equally often."""
