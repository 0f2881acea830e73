"""Notes about rows that may not be independent although their clusters are not named."""

from __future__ import annotations

from itertools import islice
from typing import Any

from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.first_rows import first_rows, if_possible
from mmeval_like.cli.request import Request
from mmeval_like.cli.terminal import tell
from mmeval_like.tables.neighbours import ROWS, likely_clusters, most_alike, named_as_clusters

__all__ = ["tell_neighbours", "tell_repeats"]


def tell_neighbours(request: Request, backend: BaseDistBackend, quiet: bool) -> None:
    """Print whether the first rows of the first file look as if some of them belonged together.

    Rank 0 reads them again, so that the note does not depend on the ranks.

    Args:
        request: The request; without intervals, or with clusters, nothing is printed.
        backend: Says which rank this is.
        quiet: Print nothing.
    """
    if quiet or backend.rank or request.interval is None or tell_repeats(request):
        return
    alike = if_possible(lambda: most_alike(_values(request)))
    if alike is not None:
        tell(
            f"neighbouring rows are alike ({alike[0]} has a correlation of {alike[1]:.2f} with the "
            f"next row): if rows belong together, such as those of a document or of a time series, "
            f"name what they belong to with --cluster, or the intervals are too narrow; if the "
            f"rows are only sorted, ignore this"
        )


def tell_repeats(request: Request) -> bool:
    """Print whether a column of the first file may name clusters, and return whether one does.

    Args:
        request: The request; with clusters, nothing is printed, and they are the ones.
    """
    if request.cluster is not None:
        return True
    likely = if_possible(lambda: likely_clusters(_other_columns(request)))
    if likely:
        tell(
            f"the entries of column {likely[0]!r} repeat: if rows with the same entry belong "
            f"together, add --cluster {likely[0]}, or the intervals are too narrow"
        )
    return bool(likely)


def _values(request: Request) -> dict[str, Any]:
    """Return the values of the single samples of the first rows."""
    table = request.tables[0]
    [batch] = islice(table.read(*table.units()[0], request.needed()), 1)
    arguments = {name: column[:ROWS] for name, column in request.arguments(batch).items()}
    passed, named = request.naming.passed(arguments)
    return request.make().per_sample(*passed, **named)


def _other_columns(request: Request) -> dict[str, Any]:
    """Return the first rows of the columns that are not read, but are named like clusters."""
    used = {*request.needed()}
    wanted = [name for name in named_as_clusters(request.tables[0].columns) if name not in used]
    if not wanted:
        return {}
    found = first_rows(request.tables[0].path, wanted)
    return {name: cells[:ROWS] for name, cells in found.items()}
