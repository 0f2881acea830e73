"""Ranked documents in tables: lists in the cells of a query, or a line for each document."""

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from tests.cli.files import score, write
from tests.helpers.optional import requires

requires("pyarrow")


def lists():
    """Lists of different lengths, with ids; many scores are equal."""
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 9, 200)
    return {
        "scores": [rng.integers(0, 4, n) / 4 for n in counts],
        "labels": [rng.integers(0, 3, n) for n in counts],
        "documents": [[f"d{i}" for i in rng.permutation(20)[:n]] for n in counts],
        "lang": rng.choice(["de", "en"], len(counts)),
    }


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_line_is_a_query(tmp_path, kind):
    """Lists in cells are read as they are, ids too, on any number of ranks and by slices."""
    table = lists()
    path = write(tmp_path, kind, table)
    columns = table["scores"], table["labels"], table["documents"]
    metrics = {
        "retrieval_map": mm.RetrievalMAP(empty="zero"),
        "retrieval_normalized_dcg": mm.RetrievalNormalizedDCG(top_k=(1, 3), empty="zero"),
    }
    asked = "retrieval_map:empty=zero", "retrieval_normalized_dcg:top_k=1,3,empty=zero"
    flags = [part for metric in asked for part in ("--metric", metric)]

    found = score(tmp_path, path, *flags, "--by", "lang", "-n", "2")

    for text, metric in metrics.items():
        assert found["all"][text] == metric(*columns)
        here = [np.flatnonzero(table["lang"] == lang) for lang in ("de", "en")]
        for lang, rows in zip(("lang=de", "lang=en"), here, strict=True):
            assert found[lang][text] == metric(*([c[i] for i in rows] for c in columns))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_line_is_a_document(tmp_path, kind):
    """With flat=true the column of a query's index deals the documents to the queries."""
    table = lists()
    lengths = [len(row) for row in table["scores"]]
    query = np.repeat(np.arange(len(lengths)), lengths)
    order = np.random.default_rng(1).permutation(len(query))
    flat = {
        "score": np.concatenate(table["scores"])[order],
        "label": np.concatenate(table["labels"])[order],
        "query_id": query[order],
    }
    path = write(tmp_path, kind, flat)

    found = score(tmp_path, path, "--metric", "retrieval_mrr:flat=true,empty=zero")

    expected = mm.RetrievalMRR(empty="zero")(table["scores"], table["labels"])
    assert found["retrieval_mrr"] == expected


def test_a_column_without_lists(tmp_path, capsys):
    """A line of numbers is no query, and the error says how one looks."""
    path = write(tmp_path, "jsonl", {"predictions": [0.5], "labels": [1]})

    assert main(["score", str(path), "--metric", "retrieval_map"]) != 0
    assert "predictions must have one list for each query" in capsys.readouterr().err
