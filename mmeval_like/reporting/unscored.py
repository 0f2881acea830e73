"""The samples of a page that have no score: how many, why, what they count as, and which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mmeval_like._base.account import Account
from mmeval_like.reporting.sections import Card, texts_of
from mmeval_like.reporting.words import clipped

__all__ = ["Lost", "Unscored", "unscored"]

_CARDS = 6  # samples of each system, if they have texts
_IDS = 24  # otherwise


@dataclass(frozen=True)
class Lost:
    """The samples of one system that have no score.

    Attributes:
        ids: Their ids.
        reasons: For each sample, why it has none.
        texts: By column, the text or image of every sample.
        places: By column of slices, the slice of every sample.
    """

    ids: Sequence[Any]
    reasons: Sequence[str]
    texts: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    places: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def cards(self) -> list[Card]:
        """Return the first samples."""
        count = min(len(self.ids), _CARDS if self.texts else _IDS)
        return [
            Card(
                clipped(self.ids[at], 60),
                [clipped(column[at], 40) for column in self.places.values()],
                change=clipped(self.reasons[at], 60),
                texts=texts_of(self.texts, at),
            )
            for at in range(count)
        ]


@dataclass(frozen=True)
class Unscored:
    """The facts about samples without a score.

    Attributes:
        account: How many there are, and why.
        rule: What they count as: "drop", "bounds", a number or a label.
        span: The values of the main number that are possible; empty: unknown.
        cards: Of each system, the first of these samples.
        total: Of each system, the number of these samples that are known.
    """

    account: Account
    rule: float | str
    span: str
    cards: list[list[Card]]
    total: list[int]

    @property
    def left_out(self) -> bool:
        """Whether these samples do not count."""
        return self.rule in ("drop", "bounds")


def unscored(
    account: Account | None, metric: Any, span: str, lost: Sequence[Lost]
) -> Unscored | None:
    """Return the facts about samples without a score; None if all have one.

    Args:
        account: The account of all samples, if there is one.
        metric: The metric of the main number.
        span: The values of the main number that are possible.
        lost: Of each system, these samples, if they are known.
    """
    if account is None or not account.unscored:
        return None
    cards = [one.cards() for one in lost]
    return Unscored(account, metric.unscored, span, cards, [len(one.ids) for one in lost])
