"""With their defaults, torchmetrics and this package agree, or the page names the difference."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers import requires
from tools.coverage import Row, read

torch = requires("torch")
torchmetrics = requires("torchmetrics")

RNG = np.random.default_rng(7)
SIZE = 60
_LOGITS = RNG.normal(size=(SIZE, 3))
CHANCES = np.exp(_LOGITS) / np.exp(_LOGITS).sum(axis=1, keepdims=True)
CLASSES = np.where(
    RNG.random(SIZE) < 0.5, _LOGITS.argmax(1), RNG.choice(3, SIZE, p=[0.6, 0.3, 0.1])
)
CHANCE = RNG.random(SIZE)
YES = (RNG.random(SIZE) < CHANCE).astype(int)
ENTRIES = RNG.random((SIZE, 3))
MANY = (RNG.random((SIZE, 3)) < ENTRIES).astype(int)
TRUTH = RNG.gamma(2, 1, SIZE) + 0.1
GUESS = TRUTH * RNG.gamma(4, 0.25, SIZE) + 0.05
ROWS, OTHERS = (RNG.dirichlet(np.ones(4), SIZE) for _ in range(2))
GROUPS, FOUND = RNG.integers(0, 4, SIZE), RNG.integers(0, 4, SIZE)
IMAGES, COPIES = RNG.random((2, 3, 8, 8)), RNG.random((2, 3, 8, 8))
# The options of torchmetrics that it cannot do without, and the inputs of both.
INPUTS: list[tuple[dict[str, Any], tuple[np.ndarray, ...]]] = [
    ({"task": "multiclass", "num_classes": 3}, (CHANCES, CLASSES)),
    ({"task": "binary"}, (CHANCE, YES)),
    ({"task": "multilabel", "num_labels": 3}, (ENTRIES, MANY)),
    ({"num_labels": 3}, (ENTRIES, MANY)),
    ({"num_classes": 4}, (FOUND, GROUPS)),
    ({}, (GUESS, TRUTH)),
    ({}, (ROWS, OTHERS)),
    ({}, (FOUND, GROUPS)),
    ({}, (IMAGES, COPIES)),
    ({}, (ROWS, TRUTH)),
    ({"threshold": 0.5}, (GUESS, TRUTH)),
    ({}, (TRUTH,)),
]
# What takes other inputs than these, or loads a model.
APART = ("Retrieval", "Running", "At", "Fixed", "Group", "Fairness", "Minkowski",
         "ClusterAccuracy", "FleissKappa", "Calinski", "Davies", "Dunn")  # fmt: skip
KINDS = ("classification", "regression", "clustering", "nominal", "aggregation")
MODULES = (torchmetrics, *(requires(f"torchmetrics.{kind}") for kind in KINDS))


def theirs(name: str) -> Any:
    """The class of torchmetrics, if it is of one of the kinds that take these inputs."""
    found = next((getattr(module, name) for module in MODULES if hasattr(module, name)), None)
    inside = found is not None and found.__module__.split(".")[1] in KINDS
    return found if inside and not any(part in name for part in APART) else None


ROWS_OF_PAGE = [row for row in read()["torchmetrics"] if row.names and theirs(row.theirs)]


def numbers(value: Any) -> list[np.ndarray]:
    """The arrays in a result."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [array for entry in value for array in numbers(entry)]
    return [np.asarray(value, float).ravel()]


def equal(their: Any, own: Any) -> bool:
    """Whether the result of torchmetrics is one of the values of a result, or all of them."""
    wanted, parts = np.concatenate(numbers(their)), numbers(own)
    return any(
        wanted.shape == part.shape and np.allclose(wanted, part, 1e-4, 1e-5, equal_nan=True)
        for part in (np.concatenate(parts), *parts)
    )


def results(row: Row) -> Iterator[tuple[Any, list[Any]]]:
    """What torchmetrics returns for each of the inputs that it takes, and what classes here do."""
    for options, inputs in INPUTS:
        same = {k.replace("num_labels", "num_classes"): v for k, v in options.items()}
        named = [same, {k: v for k, v in same.items() if k != "task"}, {}]
        try:
            metric = theirs(row.theirs)(**options)
            metric.update(*map(torch.from_numpy, inputs))
            found = metric.compute()
        except Exception:
            continue
        own = []
        for name in row.names:
            for given in named:
                try:
                    own.append(getattr(mm, name)(**given)(*inputs))
                    break
                except (TypeError, ValueError):
                    continue
        if own:
            yield found, own


@pytest.mark.parametrize("row", ROWS_OF_PAGE, ids=lambda row: row.theirs)
def test_a_default_that_differs_has_a_remark(row: Row) -> None:
    """With defaults only, the value is that of torchmetrics, or the row has a remark."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compared = [any(equal(found, one) for one in own) for found, own in results(row)]

    assert compared or row.remark, "none of the inputs fits: give another one, or a remark"
    assert all(compared) or row.remark
