"""EntityF1 beside seqeval and nervaluate, and what it promises on its own."""

from __future__ import annotations

import math
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.metrics.text.entities import read_entities
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples

TYPES = ("LOC", "ORG", "PER")
PREFIXES = {
    None: "BIES", "IOB1": "BI", "IOB2": "BI", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU",
}  # fmt: skip


def tagged(
    rng: np.random.Generator, n: int, prefixes: str = "BIES"
) -> tuple[list[list[str]], list[list[str]]]:
    """Sequences of labels, and of predictions that are often the same; most tags are odd."""
    tags = ["O"] + [f"{prefix}-{kind}" for prefix in prefixes for kind in TYPES]
    weights = np.array([len(tags) // 2] + [1] * (len(tags) - 1))
    labels, found = [], []
    for _ in range(n):
        row = rng.choice(tags, int(rng.integers(0, 9)), p=weights / weights.sum())
        other = rng.choice(tags, len(row))
        labels.append([str(tag) for tag in row])
        found.append([str(tag) for tag in np.where(rng.random(len(row)) < 0.7, row, other)])
    return found, labels


def by_seqeval(
    found: Any, labels: Any, scheme: str | None = None, average: str | None = "micro"
) -> dict[str, Any]:
    """Its numbers, of the three types."""
    seqeval = requires("seqeval.metrics.sequence_labeling")
    options: dict[str, Any] = {}
    if scheme is not None:
        seqeval = requires("seqeval.metrics.v1")
        options = {"scheme": getattr(requires("seqeval.scheme"), scheme)}
    if not any(tag != "O" for row in [*found, *labels] for tag in row):
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p, r, f, s = seqeval.precision_recall_fscore_support(
            labels, found, average=average, zero_division=0, **options
        )
    return {"precision": p, "recall": r, "f1": f, "support": s}


def all_types(rng: np.random.Generator, n: int) -> tuple[list[list[str]], list[list[str]]]:
    """As `tagged`, with a sequence in which every type is predicted and labelled."""
    found, labels = tagged(rng, n)
    for rows in (found, labels):
        rows[0] = [f"S-{kind}" for kind in rng.permutation(TYPES)]
    return found, labels


EMPTY = {"precision": math.nan, "recall": math.nan, "f1": math.nan, "support": 0}


def case(scheme: str | None, average: str = "micro", samples: Any = None) -> MetricCase:
    """Tags of a scheme, beside seqeval."""

    def make(**options: Any) -> mm.EntityF1:
        types = None if average == "micro" else TYPES
        return mm.EntityF1(types, scheme=scheme, average=average, **options)

    return MetricCase(
        make,
        samples or (lambda rng, n: tagged(rng, n, PREFIXES[scheme])),
        lambda found, labels: by_seqeval(found, labels, scheme, average),
        empty=EMPTY,
        array_inputs=False,
    )


def apart(
    rng: np.random.Generator, n: int
) -> tuple[list[list[tuple[str, int, int]]], list[list[tuple[str, int, int]]]]:
    """Labels so far apart that no prediction, which may be moved by one, overlaps two of them."""
    found, labels = [], []
    for _ in range(n):
        starts = [int(start) for start in 5 * rng.choice(6, 4, replace=False)]
        row = [(str(rng.choice(TYPES)), start, start + 2) for start in starts]
        labels.append(row)
        found.append(
            [
                (kind if rng.random() < 0.7 else "PER", start, end + int(rng.integers(2)))
                for kind, start, end in row
                if rng.random() < 0.8
            ]
        )
    return found, labels


WORTH: dict[str, Any] = {
    "strict": lambda mine, label: mine == label,
    "exact": lambda mine, label: mine[1:] == label[1:],
    "partial": lambda mine, label: 1 if mine[1:] == label[1:] else 0.5,
    "type": lambda mine, label: mine[0] == label[0],
}


def pair_by_pair(found: Any, labels: Any, matching: str) -> dict[str, Any]:
    """Precision and recall from what every overlap is worth."""
    right = sum(
        WORTH[matching](mine, label)
        for own, expected in zip(found, labels, strict=True)
        for mine in own
        for label in expected
        if mine[1] < label[2] and label[1] < mine[2]
    )
    predicted, support = sum(map(len, found)), sum(map(len, labels))
    precision, recall = right / predicted if predicted else 0.0, right / support
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return {"precision": precision, "recall": recall, "f1": f1, "support": support}


CASES = {
    "EntityF1": case(None),
    "EntityF1, IOBES": case("IOBES"),
    # What seqeval calls macro is over the types that occur: here all occur.
    "EntityF1, macro": case(None, "macro", all_types),
    **{
        f"EntityF1, {matching}": MetricCase(
            partial(mm.EntityF1, matching=matching),
            apart,
            partial(pair_by_pair, matching=matching),
            empty=EMPTY,
            array_inputs=False,
        )
        for matching in WORTH
    },
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """Numbers are seqeval's, and every law of a metric is kept."""
    check_metric(CASES[name], examples=examples(3))


@pytest.mark.parametrize("scheme", PREFIXES)
def test_entities_are_seqevals(scheme: str | None) -> None:
    """Of random tags of every scheme, most of which are not as the scheme wants them."""
    requires("seqeval")
    rng = np.random.default_rng(3)
    rows = tagged(rng, 400, PREFIXES[scheme])[1]

    found = read_entities(rows, "rows", scheme)
    for row, entities in zip(rows, found, strict=True):
        if scheme == "IOB1" and any(map(no_iob1, row, row[1:])):
            continue
        if scheme is None:
            ends = requires("seqeval.metrics.sequence_labeling").get_entities(row)
            expected = [(kind, start, end + 1) for kind, start, end in ends]
        else:
            several = requires("seqeval.scheme")
            [read] = several.Entities([row], getattr(several, scheme)).entities
            expected = [(entity.tag, entity.start, entity.end) for entity in read]
        assert sorted(entities) == sorted(expected), row


def no_iob1(tag: str, following: str) -> bool:
    """A B behind one of another type, which seqeval takes for no end of that entity."""
    return tag[0] == following[0] == "B" and tag != following


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
def test_averages(average: str | None) -> None:
    """Every average is seqeval's, where all types occur."""
    rng = np.random.default_rng(4)
    for _ in range(5):
        batch = all_types(rng, 6)
        values = mm.EntityF1(TYPES, average=average)(*batch)
        for key, expected in by_seqeval(*batch, average=average).items():
            found = values[key if average else f"{key}_classwise"]
            assert found == pytest.approx(expected, 1e-12)


def test_matches_by_hand() -> None:
    """Each way says something else of one overlap and one wrong type."""
    labels = [[("PER", 0, 2), ("LOC", 4, 5), ("ORG", 7, 9)]]
    found = [[("PER", 0, 2), ("PER", 4, 5), ("ORG", 6, 9)]]

    right = {"strict": 1.0, "exact": 2.0, "partial": 2.5, "type": 2.0}
    for matching, count in right.items():
        values = mm.EntityF1(matching=matching)(found, labels)
        assert values["precision"] == values["recall"] == values["f1"] == count / 3


def test_pairs_are_one_to_one() -> None:
    """A label is found once, by what equals it rather than by what stands further to the left."""
    labels = [[("PER", 0, 4)]]
    found = [[("PER", 0, 2), ("PER", 0, 4), ("PER", 3, 5)]]

    values = mm.EntityF1(matching="partial")(found, labels)
    assert (values["precision"], values["recall"]) == (1 / 3, 1.0)
    twice = [[("PER", 0, 4), ("PER", 0, 4)]]
    assert mm.EntityF1()(twice, labels)["precision"] == 1 / 2


def test_a_label_of_its_type_is_preferred() -> None:
    """By "type" an entity that overlaps two labels is paired with the one of its type."""
    labels, found = [[("LOC", 0, 3), ("PER", 4, 9)]], [[("PER", 2, 6)]]

    assert mm.EntityF1(matching="type")(found, labels)["precision"] == 1.0
    assert mm.EntityF1(matching="partial")(found, labels)["precision"] == 0.5


def test_credit_goes_to_both_types() -> None:
    """A span of another type is right for what was predicted, and found for what it is."""
    metric = mm.EntityF1(("LOC", "PER"), matching="exact", average=None)
    values = metric([[("PER", 0, 1), ("PER", 2, 3)]], [[("LOC", 0, 1)]])

    assert values["precision_classwise"] == [0.0, 0.5]
    assert values["recall_classwise"] == [1.0, 0.0]
    assert values["f1_classwise"] == [0.0, 0.0]
    assert values["support_classwise"] == [1, 0]


def test_nothing_to_divide_by() -> None:
    """Without entities on one side, or on both, values are 0; without samples they are nan."""
    assert mm.EntityF1()([["O"]], [["B-PER"]]) == {
        "precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 1,
    }  # fmt: skip
    assert mm.EntityF1()([["O"], []], [["O"], []])["f1"] == 0.0
    with pytest.warns(RuntimeWarning, match="no samples"):
        values = mm.EntityF1(("A", "B"), average=None).compute()
    assert np.isnan(values["f1_classwise"]).all()
    assert values["support_classwise"] == [0, 0]


@pytest.mark.parametrize(
    ("options", "batch", "error", "text"),
    [
        ({"average": "macro"}, None, ValueError, "types must be given for average='macro'"),
        ({"scheme": "IOB3"}, None, ValueError, "scheme must be one of"),
        ({"matching": "loose"}, None, ValueError, "matching must be one of"),
        ({"average": "samples"}, None, ValueError, "average must be one of"),
        ({"types": "PER"}, None, TypeError, "types must be a list of strings"),
        ({"types": ["A", "A"]}, None, ValueError, "types must be different"),
        ({}, ("O", [["O"]]), TypeError, "predictions must be lists of tags"),
        ({}, (["O"], [["O"]]), TypeError, r"predictions\[0\] must be a list of tags"),
        ({}, ([["O"]], [["O"], ["O"]]), ValueError, "same length, got 1 and 2"),
        ({}, ([["O"]], [["O", "O"]]), ValueError, r"predictions\[0\] and references\[0\]"),
        ({}, ([["X-PER"]], [["O"]]), ValueError, r"predictions\[0\] must have the tags O, B-type"),
        ({"scheme": "IOB2"}, ([["E-PER"]], [["O"]]), ValueError, "must have the tags O, I-type"),
        (
            {"types": ["PER"]},
            ([["B-LOC"]], [["O"]]),
            ValueError,
            "types must have the type .* 'LOC'",
        ),
        ({}, ([[("PER", 2, 2)]], [[]]), ValueError, "0 <= start < end"),
        ({}, ([[("PER", 2)]], [[]]), TypeError, r"entities \(type, start, end\)"),
        ({}, ([[(1, 2, 3)]], [[]]), TypeError, "whose type is a string"),
        ({}, ([[("PER", 0.5, 2)]], [[]]), TypeError, "whose ends are integers"),
        ({}, ([["O", 3]], [["O", "O"]]), TypeError, "got int among them"),
    ],
)
def test_bad_input(options: dict[str, Any], batch: Any, error: type[Exception], text: str) -> None:
    """What cannot be meant is refused."""
    with pytest.raises(error, match=text):
        mm.EntityF1(**options)(*(batch or ()))
