"""MultipleChoiceAccuracy and MultipleChoiceMass: which of several answers a model prefers."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics.text.words import byte_counts, check_texts
from mmeval_like.writing import SHARE, BaseMetric, Results, SampleMean, arrays, ratio, state

__all__ = ["MultipleChoiceAccuracy", "MultipleChoiceMass"]


class MultipleChoiceAccuracy(BaseMetric):
    """The fraction of multiple-choice questions whose most likely choice is right.

    A model gives each choice c of a question a log-likelihood l_c, and y is the right choice. For
    `acc` the model's answer is the choice with the largest log-likelihood. Since long choices are
    less likely than short ones, `acc_norm` takes the largest log-likelihood per character of the
    choice, and `acc_bytes` the largest per byte in UTF-8. `acc_mutual_info` subtracts from l_c the
    log-likelihood of the choice without the question. Among choices with equal values, the first is
    taken. Sources: L. Gao et al., "The Language Model Evaluation Harness", which defines
    `acc_norm`; A. Holtzman et al., "Surface form competition: why the highest probability answer
    isn't always right" (EMNLP 2021).

    Formula:
        acc = mean [y = argmax_c l_c]
        acc_norm = mean [y = argmax_c l_c / chars_c]
        acc_bytes = mean [y = argmax_c l_c / bytes_c]

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `acc`; for questions that were added with `choices`, `acc_norm` and
    `acc_bytes`; and for those that were added with `unconditional`, `acc_mutual_info`. All are in
    [0, 1], and nan without questions. Higher is better.

    Example:
        >>> metric = MultipleChoiceAccuracy()
        >>> metric.add([[-3.0, -4.0], [-1.0, -2.0]], [1, 0], choices=[["no", "maybe"], ["a", "b"]])
        >>> metric.compute()  # -3/2 < -4/5: per character, "maybe" is the likelier one
        {'acc': 0.5, 'acc_norm': 1.0, 'acc_bytes': 1.0}
    """

    every_rank_computes = True
    ranges = SHARE
    higher_is_better = True
    no_bounds = "its values are over different questions, since some may have no choices"
    right = state.sum(bool, (4,))
    known = state.sum(bool, (2,))

    def rows(
        self, log_likelihoods: Any, labels: Any, choices: Any = None, unconditional: Any = None
    ) -> dict[str, np.ndarray]:
        """Return whether the most likely choice is right, by each of the four definitions.

        Args:
            log_likelihoods: The log-likelihoods of the choices of N questions: N lists of any
                length, or an array (N, n).
            labels: The index of each question's right choice (N,), or N lists of the indices of
                right choices.
            choices: The choices, N lists of strings.
            unconditional: The log-likelihoods of the choices without the question.

        Raises:
            TypeError: An input is not a number, or a text is not a string.
            ValueError: Lengths or shapes differ, a question has no choices or no right one, an
                index is out of range, a value is nan or infinite (minus infinity, probability 0, is
                allowed in `log_likelihoods`), or a choice is empty.
        """
        table, sizes, right = _read(log_likelihoods, labels)
        tables = {0: table}
        if choices is not None:
            lengths = _lengths(choices, sizes)
            tables |= {place: table / length for place, length in zip((1, 2), lengths, strict=True)}
        if unconditional is not None:
            without, others = _padded(unconditional, "unconditional", 0.0)
            arrays.check_finite("unconditional", without)
            _check_sizes("unconditional", others, sizes)
            tables[3] = table - without
        hits, places = np.zeros((len(table), 4), np.bool_), np.arange(len(table))
        for place, scores in tables.items() if len(table) else ():
            hits[:, place] = right[places, scores.argmax(axis=1)]
        given = np.array([choices is not None, unconditional is not None])
        return {"right": hits, "known": np.broadcast_to(given, (len(table), 2))}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the shares."""
        acc, norm, of_bytes, added = results.right.tolist()
        with_choices, with_unconditional = results.known.tolist()
        found = {"acc": ratio(acc, len(results))}
        if with_choices:
            found |= {"acc_norm": norm / with_choices, "acc_bytes": of_bytes / with_choices}
        if with_unconditional:
            found["acc_mutual_info"] = added / with_unconditional
        return found


class MultipleChoiceMass(SampleMean):
    """The mean fraction of the right choices in the total probability of the choices.

    l_c is the log-likelihood of the choice c of a question, and R is the set of the question's
    right choices. The value is the mean over questions. Source: S. Lin et al., "TruthfulQA:
    measuring how models mimic human falsehoods" (ACL 2022), which calls this score MC2.

    Formula:
        mc2 = mean (sum_(c in R) exp(l_c)) / (sum_c exp(l_c))

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `mc2`, in [0, 1]; nan without questions. Higher is better.

    Example:
        >>> import math
        >>> metric = MultipleChoiceMass()
        >>> metric.add([[math.log(0.1), math.log(0.2), math.log(0.1)]], [[0, 2]])
        >>> round(metric.compute()["mc2"], 12)  # (0.1 + 0.1) / 0.4
        0.5
    """

    processor_dependent = "exp"
    key = "mc2"
    ranges = SHARE
    higher_is_better = True

    def scores(self, log_likelihoods: Any, labels: Any) -> np.ndarray:
        """Return every question's share.

        Args:
            log_likelihoods: The log-likelihoods of the choices of N questions: N lists of any
                length, or an array (N, n).
            labels: N lists of the indices of right choices, or one index for each question (N,).

        Raises:
            TypeError, ValueError: `MultipleChoiceAccuracy` would reject the input, or all
                choices of a question have probability 0.
        """
        table, sizes, right = _read(log_likelihoods, labels)
        scores = np.zeros(len(table))
        for size in np.unique(sizes):  # the order of a sum depends on its length
            which = np.flatnonzero(sizes == size)
            part = table[which, :size]
            largest = part.max(axis=1)
            arrays.check_finite("the largest of log_likelihoods", largest)
            # Contiguous: only then does exp not depend on an element's position.
            masses = np.exp(np.ascontiguousarray(part - largest[:, None]))
            chosen = arrays.sum_rows(np.where(right[which, :size], masses, 0.0))
            scores[which] = chosen / arrays.sum_rows(masses)
        return scores


def _read(log_likelihoods: Any, labels: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tables of log-likelihoods and of right choices, and the numbers of choices.

    The tables have shape (N, most choices), with minus infinity where there is no choice.
    """
    table, sizes = _padded(log_likelihoods, "log_likelihoods", -np.inf)
    arrays.check_finite("log_likelihoods", table, allow_infinite=True)
    arrays.require("log_likelihoods", table, table < np.inf, "must not be infinite")
    if (sizes == 0).any():
        place = np.flatnonzero(sizes == 0)[0]
        raise ValueError(f"log_likelihoods[{place}] must have at least one choice")
    one_each = isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "iu"
    listed = labels.tolist() if hasattr(labels, "tolist") and not one_each else labels
    if not one_each and not isinstance(listed, list | tuple):
        raise TypeError(f"labels must be a list or an array, got {arrays.describe(labels)}")
    arrays.check_same_length("log_likelihoods", table, "labels", listed)
    right = np.zeros(table.shape, np.bool_)
    if one_each or (listed and not any(map(_is_list, listed))):
        indices = arrays.as_integers(labels, "labels")
        bad = np.flatnonzero((indices < 0) | (indices >= sizes))
        if len(bad):
            _refuse(indices[bad[0]], sizes[bad[0]], bad[0])
        right[np.arange(len(table)), indices] = True
        return table, sizes, right
    for index, entry in enumerate(listed):
        several = arrays.as_integers(entry if _is_list(entry) else [entry], "labels")
        if several.ndim != 1 or not several.size:
            raise ValueError(f"labels[{index}] must have at least one right choice")
        if several.min() < 0 or several.max() >= sizes[index]:
            _refuse(several, sizes[index], index)
        right[index, several] = True
    return table, sizes, right


def _is_list(entry: Any) -> bool:
    """Return whether an entry has several values; an array without axes has one."""
    return hasattr(entry, "__len__") and getattr(entry, "ndim", 1) > 0


def _refuse(label: Any, choices: Any, index: Any) -> None:
    raise ValueError(
        f"labels must be in [0, {choices}), the number of choices; got {label} at index {index}"
    )


def _padded(values: Any, name: str, missing: float) -> tuple[np.ndarray, np.ndarray]:
    """Return lists of numbers as one table, and the length of each list."""
    if not isinstance(values, list | tuple):
        array = arrays.as_floats(values, name)
        if array.ndim == 2:
            return array, np.full(len(array), array.shape[1])
    lists = [arrays.as_floats(entry, name) for entry in arrays.to_samples(values, name)]
    for entry in lists:
        if entry.ndim != 1:
            raise ValueError(f"{name} must be N lists of numbers, got one of shape {entry.shape}")
    sizes = np.array([len(entry) for entry in lists], np.int64)
    table = np.full((len(lists), int(sizes.max(initial=0))), missing)
    if len(lists):
        table[np.arange(table.shape[1]) < sizes[:, None]] = np.concatenate(lists)
    return table, sizes


def _lengths(choices: Any, sizes: np.ndarray) -> list[np.ndarray]:
    """Return two tables: the numbers of characters and of bytes of all choices."""
    lists = [check_texts(entry, f"choices[{i}]") for i, entry in enumerate(choices)]
    _check_sizes("choices", np.array([*map(len, lists)], np.int64), sizes)
    found = []
    by_characters = [[*map(len, texts)] for texts in lists]
    by_bytes = [byte_counts(texts, f"choices[{i}]") for i, texts in enumerate(lists)]
    for lengths in (by_characters, by_bytes):
        table, _ = _padded([np.array(several) for several in lengths], "choices", 1.0)
        arrays.require(
            "choices", table, table > 0, "must not be empty strings: number of characters"
        )
        found.append(table)
    return found


def _check_sizes(name: str, sizes: np.ndarray, wanted: np.ndarray) -> None:
    arrays.check_same_length("log_likelihoods", wanted, name, sizes)
    bad = np.flatnonzero(sizes != wanted)
    if len(bad):
        raise ValueError(
            f"{name} must have an entry for each choice, got {sizes[bad[0]]} of "
            f"{wanted[bad[0]]} at index {bad[0]}"
        )
