"""What ranks report to each other after a failure, and the errors that all of them raise."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import NoReturn

from mmeval_like.errors import DisagreementError, RemoteError

__all__ = ["raise_trouble", "trace"]


def trace(error: BaseException) -> str:
    """Return an exception with its traceback, as text for another rank."""
    return "".join(traceback.format_exception(error)).rstrip()


def raise_trouble(
    told: Sequence[tuple[str | None, str]], failure: BaseException | None, advice: str = ""
) -> NoReturn:
    """Raise, on every rank, an error from what the ranks reported.

    Args:
        told: For each rank, the traceback of its failure, and what it was computing.
        failure: This rank's own failure.
        advice: The text to add if the ranks disagree.
    """
    if failure is not None:
        raise failure
    failed = [rank for rank, (text, _) in enumerate(told) if text is not None]
    if failed:
        raise RemoteError(failed, [told[rank][0] or "" for rank in failed])
    ranks: dict[str, list[int]] = {}
    for rank, (_, situation) in enumerate(told):
        ranks.setdefault(situation, []).append(rank)
    lines = [f"  rank {', '.join(map(str, who))}: {what}" for what, who in ranks.items()]
    text = "the ranks disagree about what to compute:\n" + "\n".join(lines)
    raise DisagreementError(text + advice)
