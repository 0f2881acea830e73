"""Rankings: queries without documents, and what is refused."""

import math
from typing import Any

import pytest

import mmeval_like as mm


def test_empty_queries() -> None:
    """They are left out with a warning, count as 0 or 1, or are refused and nothing is kept."""
    batch = [[3, 2], [2, 1], []], [[1, 0], [0, 0], []]
    metric = mm.RetrievalMRR()
    metric.add(*batch)
    with pytest.warns(RuntimeWarning, match="undefined for 2 of 3 samples"):
        assert metric.compute() == {"mrr": 1.0}
    assert mm.RetrievalMRR(empty="zero")(*batch) == {"mrr": 1 / 3}
    assert mm.RetrievalMRR(empty="one")(*batch) == {"mrr": 1.0}
    strict = mm.RetrievalMRR(empty="raise")
    strict.add([[1]], [[1]])
    with pytest.raises(ValueError, match="undefined for the query at index 1"):
        strict.add(*batch)
    assert strict.compute() == {"mrr": 1.0}
    with pytest.warns(RuntimeWarning, match="undefined for 1 of 1"):
        assert math.isnan(mm.RetrievalFallOut()([[1, 2]], [[1, 1]])["fall_out"])
    assert mm.RetrievalDCG()([[1, 2]], [[0, 0]]) == {"dcg": 0.0}


BAD: list[tuple[tuple[Any, ...], type[Exception], str]] = [
    (([0.5], [1]), ValueError, "predictions must have one list for each query"),
    (([[0.5]], [1]), ValueError, "labels must have one list for each query"),
    (([[0.5]], [[1], [0]]), ValueError, "labels must have one list for each of the 1 lists"),
    (([[0.5, 1.0]], [[1]]), ValueError, "labels must have one entry for each score, got 1 for"),
    (([[math.nan]], [[1]]), ValueError, "predictions must not contain nan"),
    (([[0.5]], [[math.inf]]), ValueError, "labels must not contain nan or infinity"),
    (([[0.5]], [[-2]]), ValueError, "labels must be at least 0, or -1"),
    (([["a"]], [[1]]), TypeError, "predictions"),
    (([[1j]], [[1]]), TypeError, "predictions must be real"),
    (([[0.5]], [[1]], [["a", "b"]]), ValueError, "documents must have one entry"),
    (([[0.5]], [[1]], ["a"]), ValueError, "documents must have one list of ids"),
    (([[0.5, 1]], [[1, 0]], [["a", "a"]]), ValueError, "documents must differ within a query"),
    (([[0.5, 1]], [[1, 0]], [[3, 3]]), ValueError, "documents must differ within a query"),
    (([[0.5]], [[1]], [[0.5]]), TypeError, "documents must be integers"),
    (([[0.5]], [[2]], None, [[1]]), ValueError, "judged must have the gains of all judged"),
    (([[0.5]], [[2]], None, [[2], [1]]), ValueError, "judged and predictions"),
]


@pytest.mark.parametrize(("batch", "error", "text"), BAD)
def test_bad_inputs(batch: Any, error: type[Exception], text: str) -> None:
    """What are no lists of scores and gains is refused, by the name of the argument."""
    with pytest.raises(error, match=text):
        mm.RetrievalMAP().add(*batch)


BAD_FLAT: list[tuple[tuple[Any, ...], type[Exception], str]] = [
    (([0.5], [1], [0, 1]), ValueError, "indexes"),
    (([[0.5]], [[1]], [0]), ValueError, "labels"),
    (([0.5], [1], ["q"]), TypeError, "indexes"),
    (([math.nan], [1], [0]), ValueError, "predictions must not contain nan"),
    (([0.5], [-2], [0]), ValueError, "labels must be at least 0"),
]


@pytest.mark.parametrize(("batch", "error", "text"), BAD_FLAT)
def test_bad_single_documents(batch: Any, error: type[Exception], text: str) -> None:
    """The same of documents one by one."""
    with pytest.raises(error, match=text):
        mm.RetrievalMAP(flat=True).add(*batch)


def test_single_documents_with_ids_and_without() -> None:
    """Nobody can rank them together."""
    metric = mm.RetrievalMAP(flat=True)
    metric.add([1], [1], [0], [7])
    metric.add([1], [1], [0])
    with pytest.raises(ValueError, match="documents must be given for all samples, or for none"):
        metric.compute()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"top_k": [2, 2]}, "top_k must be different"),
        ({"top_k": []}, "top_k must be different"),
        ({"relevance": 0}, "relevance must be a gain above 0"),
        ({"empty": "nan"}, "empty must be one of"),
        ({"aggregation": "sum"}, "aggregation must be one of"),
    ],
)
def test_bad_options(options: dict[str, Any], text: str) -> None:
    """Options that cannot be meant are refused, by name."""
    with pytest.raises(ValueError, match=text):
        mm.RetrievalMAP(**options)
    with pytest.raises(ValueError, match="beta"):
        mm.RetrievalFBeta(beta=0)
    with pytest.raises(ValueError, match="weight"):
        mm.RetrievalAUROC(weight="documents", flat=True)


def test_flat_documents_that_are_refused_are_named():
    """The arguments are those of documents one by one, and what is wrong with one is told."""
    metric = mm.RetrievalMRR(flat=True)

    with pytest.raises(TypeError, match="documents must be numeric, got 'a'"):
        metric.add([0.5], [1], indexes=[0], documents=["a"])
    with pytest.raises(TypeError, match="indexes must be integers"):
        metric.add([0.5], [1], indexes=[0.5])
    with pytest.raises(TypeError, match="'judged'; it takes predictions, labels, indexes, doc"):
        metric.add([0.5], [1], indexes=[0], judged=[[1]])
    with pytest.raises(TypeError, match=r"RetrievalMRR.add\(\) .*argument: 'indexes'"):
        metric.add([0.5], [1])
