"""The number of pairs of a prediction and a ground truth, each used at most once."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["first_come", "most_pairs"]


def first_come(candidates: Sequence[Sequence[int]]) -> int:
    """Return the number of ground truths that, in order, find a free prediction."""
    taken: set[int] = set()
    for predictions in candidates:
        free = next((place for place in predictions if place not in taken), None)
        if free is not None:
            taken.add(free)
    return len(taken)


def most_pairs(candidates: Sequence[Sequence[int]]) -> int:
    """Return the size of a maximum matching, by augmenting paths."""
    owner: dict[int, int] = {}  # prediction: ground truth
    choice: dict[int, int] = {}  # ground truth: prediction
    for start in range(len(candidates)):
        end, reached_from = _search(start, candidates, owner)
        while end is not None:  # back along the path: each ground truth takes its next choice
            truth, prediction = reached_from[end], end
            end = choice.get(truth)
            owner[prediction], choice[truth] = truth, prediction
    return len(owner)


def _search(
    start: int, candidates: Sequence[Sequence[int]], owner: dict[int, int]
) -> tuple[int | None, dict[int, int]]:
    """Return the free prediction at the end of a path, and each prediction's predecessor."""
    reached_from: dict[int, int] = {}
    truths = [start]
    while truths:
        truth = truths.pop()
        for prediction in candidates[truth]:
            if prediction in reached_from:
                continue
            reached_from[prediction] = truth
            if prediction not in owner:
                return prediction, reached_from
            truths.append(owner[prediction])
    return None, reached_from
