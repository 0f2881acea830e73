"""Whether files that are compared row by row have the same rows in another order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.first_rows import first_rows, if_possible
from mmeval_like.cli.request import Request

__all__ = ["check_order"]

_NAMES = re.compile(r"^[a-z]?id$|^uuid$|[_\W]([a-z]|uu)?id$|(?-i:[a-z]I[dD]$)", re.IGNORECASE)


def check_order(a: Request, b: Request) -> None:
    """Raise InputError if a column named like ids has the same entries in another order.

    Only the first rows of the first files are read. A column in which an entry repeats, or most
    entries are other ones in B, such as the ids of requests, says nothing of the order.

    Args:
        a: The request of system A, without a column of ids.
        b: That of system B.
    """
    used = {*a.needed(), *b.needed()}
    both = [name for name in a.tables[0].columns if name in b.tables[0].columns]
    for name in both:
        if name != "id" and name not in used and _NAMES.search(name):  # every `id` is compared
            of_a, of_b = (_entries(request, name) for request in (a, b))
            row = _first_moved(of_a, of_b)
            if row is not None:
                raise InputError(
                    f"row {row}, counted from 0, differs in {name}, whose entries are in both: "
                    f"without --ids both must have the same rows, in the same order; --ids {name} "
                    f"matches them by their ids"
                )


def _entries(request: Request, name: str) -> list[str]:
    found = if_possible(lambda: first_rows(request.tables[0].path, [name]))
    return [] if found is None else [str(cell) for cell in found[name]]


def _first_moved(a: Sequence[str], b: Sequence[str]) -> int | None:
    """Return the first row whose entry is another one, if most distinct entries are in both.

    Example:
        >>> _first_moved(["q1", "q2", "q3"], ["q1", "q3", "q2"])
        1
        >>> _first_moved(["q1", "q2", "q3"], ["r1", "r2", "r3"])
    """
    one, other = {*a}, {*b}
    if len(one) < len(a) or len(other) < len(b) or 2 * len(one & other) <= min(len(a), len(b)):
        return None
    return next((row for row, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
