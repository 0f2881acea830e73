"""Samples with several labels: one-hot rows, and lists of class indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.writing import arrays

__all__ = ["as_label_sets", "as_rows", "check_one_format"]


def as_rows(values: Any, name: str) -> np.ndarray | list[np.ndarray]:
    """Return one host row per sample: an array if rows have equal lengths, otherwise a list.

    Raises:
        TypeError: The values are not numbers.
        ValueError: There is more than one row for a sample.
    """
    if isinstance(values, list | tuple):
        rows = [arrays.to_host(value, name) for value in values]
        agree = len({row.shape for row in rows}) == 1
        array = np.stack(rows) if agree else None
    else:
        rows, array = [], arrays.to_host(values, name)
    if any(row.ndim > 1 for row in rows) or (array is not None and array.ndim not in (1, 2)):
        raise ValueError(f"{name} must have one row, or one list of class indices, per sample")
    return rows if array is None else array


def as_label_sets(
    values: Any, name: str, num_classes: int, is_onehot: bool | None = None
) -> tuple[np.ndarray, bool]:
    """Return which classes each sample has, bool (N, C), and whether the input was one-hot.

    Args:
        values: One-hot rows (N, C) of 0 and 1; or class indices (N,), or a sequence of N lists
            of class indices, of any lengths, empty ones included.
        name: The name of the argument, for error messages.
        num_classes: The number of classes C.
        is_onehot: Whether `values` are one-hot rows; None: rows of length C with only 0 and 1 are.

    Raises:
        TypeError: A value is not a whole number.
        ValueError: A shape does not fit, a one-hot row has values other than 0 and 1, a class index
            is out of range, some rows look one-hot and some do not, or a row of C values, some of
            them equal, has others than 0 and 1, while `is_onehot` is None.
    """
    rows = as_rows(values, name)
    if len(rows) == 0:
        return np.zeros((0, num_classes), np.bool_), bool(is_onehot)
    looks = _look_onehot(rows, num_classes)
    if is_onehot is None:
        if 0 < looks.sum() < len(looks):
            raise ValueError(
                f"{name} must be one-hot rows for all samples or lists of class indices for all; "
                f"sample {int(looks.argmin())} is a list, sample {int(looks.argmax())} may be "
                f"either: say which by pred_is_onehot or label_is_onehot"
            )
        is_onehot = bool(looks[0])
        if not is_onehot:
            _check_no_row_of_scores(rows, name, num_classes)
    if not is_onehot:
        return _from_indices(rows, name, num_classes), False
    if not looks.all():
        raise ValueError(
            f"{name} must be one-hot rows of {num_classes} values 0 or 1, got "
            f"{rows[int(looks.argmin())]} at index {int(looks.argmin())}"
        )
    return np.asarray(rows) != 0, True


def check_one_format(name: str, onehot: int, count: int) -> None:
    """Raise ValueError unless either all samples or no samples were one-hot."""
    if onehot not in (0, count):
        raise ValueError(
            f"{name} must be one-hot rows (or scores) for all samples or lists of class indices "
            f"for all, got {onehot} and {count - onehot}: say which by pred_is_onehot or "
            f"label_is_onehot"
        )


def _look_onehot(rows: np.ndarray | list[np.ndarray], num_classes: int) -> np.ndarray:
    if isinstance(rows, np.ndarray):
        if rows.shape[1:] != (num_classes,):
            return np.zeros(len(rows), np.bool_)
        return np.asarray(((rows == 0) | (rows == 1)).all(axis=1))
    looks = [row.shape == (num_classes,) and ((row == 0) | (row == 1)).all() for row in rows]
    return np.array(looks, np.bool_)


def _check_no_row_of_scores(
    rows: np.ndarray | list[np.ndarray], name: str, num_classes: int
) -> None:
    """Raise ValueError if a row has one value per class, and some value twice."""
    if isinstance(rows, np.ndarray) and rows.shape[1:] != (num_classes,):
        return
    where = [i for i, row in enumerate(rows) if row.shape == (num_classes,)]
    ordered = np.sort([rows[i] for i in where], axis=1) if where else np.zeros((0, num_classes))
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if twice.any():
        first = where[int(twice.argmax())]
        raise ValueError(
            f"{name} must be one-hot rows of {num_classes} values 0 or 1, or lists of different "
            f"class indices, got {rows[first]} at index {first}"
        )


def _from_indices(rows: np.ndarray | list[np.ndarray], name: str, num_classes: int) -> np.ndarray:
    lists = [np.reshape(row, -1) for row in rows]
    sample = np.repeat(np.arange(len(lists)), [len(entry) for entry in lists])
    indices = arrays.as_integers(np.concatenate(lists), name)  # an empty list gives floats
    arrays.check_range(name, indices, num_classes)
    chosen = np.zeros((len(rows), num_classes), np.bool_)
    chosen[sample, indices] = True
    return chosen
