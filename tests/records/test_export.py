"""A record as others read it: what their schemas take, with the numbers of the record."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from mmeval_like.records.export import exported
from tests.helpers.optional import requires

FACTS = {
    "eee": {
        "model": "org/model",
        "dataset": "data",
        "organization": "org",
        "relationship": "first_party",
    },
    "hf": {"dataset": "org/data", "task": "test", "url": "https://example.org", "source": "log"},
    "in-toto": {},
}


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    """Of several metrics: bounded ones, a loss, a matrix."""
    rng = np.random.default_rng(0)
    metrics = {
        "accuracy": mm.Accuracy(interval=0.95),
        "loss": mm.LogLoss(interval=0.95),
        "matrix": mm.ConfusionMatrix(num_classes=3),
    }
    metric = mm.Recorded(metrics)
    metric.add(rng.dirichlet(np.ones(3), 50), rng.integers(0, 3, 50))
    metric.compute()
    files = [{"name": "preds.csv", "rows": 50, "digest": "0" * 32, "sha256": "1" * 64}]
    return metric.record(made={"files": files})


@pytest.mark.parametrize("more", [{}, {"hf_repo": "org/data", "hf_split": "test"}])
def test_every_eval_ever_takes_it(
    record: dict[str, Any], more: dict[str, str], tmp_path: Path
) -> None:
    """The project's own validator, and the schema of its package, have nothing against it."""
    jsonschema = requires("jsonschema")
    requires("every_eval_ever")
    from every_eval_ever.validate import validate_file

    file = resources.files("every_eval_ever") / "schemas" / "eval.schema.json"
    schema = json.loads(file.read_text())
    found = exported(record, "eee", FACTS["eee"] | more)
    validator = jsonschema.validators.validator_for(schema)(schema)
    written = tmp_path / "record.json"
    written.write_text(json.dumps(found))
    place = f"data/questions/{FACTS['eee']['model']}/0aa7c2a6-3d6e-4f0a-9a59-0ab8b0d6b6a1.json"
    report = validate_file(
        written, run_semantic_checks=True, repo_path=place, available_files=[place]
    )

    assert (report.valid, report.errors, report.warnings) == (True, [], [])
    assert [error.message for error in validator.iter_errors(found)] == []
    assert found["schema_version"] == schema["version"]
    written.write_text(json.dumps({**found, "evaluation_results": 3}))
    assert not validate_file(written).valid


def test_the_numbers_are_those_of_the_record(record: dict[str, Any]) -> None:
    """Values, ends of intervals and levels, in both forms that have them."""
    numbers = record["claim"]["values"]["all"]
    accuracy, loss = numbers["accuracy"]["top1"], numbers["loss"]["log_loss"]
    results = exported(record, "eee", FACTS["eee"])["evaluation_results"]
    entries = exported(record, "hf", FACTS["hf"])

    assert len(results) == len(entries) == 2
    for number, result, entry in zip((accuracy, loss), results, entries, strict=True):
        score = result["score_details"]
        assert score["score"] == entry["value"] == float.fromhex(number["hex"])
        interval = score["uncertainty"]["confidence_interval"]
        assert interval["lower"] == float.fromhex(number["low"])
        assert interval["confidence_level"] == 0.95
        assert f"{float.fromhex(number['low']):.4g} to" in entry["notes"]
    assert results[0]["metric_config"]["max_score"] == 1.0
    assert results[1]["metric_config"]["max_score"] == "Infinity"
    assert results[1]["metric_config"]["lower_is_better"]


def test_a_statement_is_about_the_files(record: dict[str, Any]) -> None:
    """Its subjects are the files with their SHA-256, its predicate is the claim."""
    found = exported(record, "in-toto", {})

    assert found["subject"] == [{"name": "preds.csv", "digest": {"sha256": "1" * 64}}]
    assert found["predicate"] == record["claim"]
    with pytest.raises(ValueError, match="the record has none"):
        exported({**record, "made": {}}, "in-toto", {})


@pytest.mark.parametrize("to", ["eee", "hf"])
def test_what_is_missing_is_named(record: dict[str, Any], to: str) -> None:
    """All facts at once that a record does not know."""
    for name in FACTS[to]:
        if name in ("url", "source"):
            continue
        left = {key: value for key, value in FACTS[to].items() if key != name}
        with pytest.raises(ValueError, match=f"does not contain {name}: give"):
            exported(record, to, left)


def test_unknown_forms_are_refused(record: dict[str, Any]) -> None:
    """The error names those that there are."""
    with pytest.raises(ValueError, match="to must be one of eee, hf, in-toto"):
        exported(record, "pdf", {})


@pytest.mark.parametrize("to", FACTS)
@pytest.mark.parametrize("damaged", [{}, {"claim": 3}, {"claim": None, "made": 1}, []])
def test_a_damaged_record_is_refused(to: str, damaged: Any) -> None:
    """The error says that it is none, whatever is missing in it."""
    with pytest.raises(ValueError, match="not a record, or damaged"):
        exported(damaged, to, FACTS[to])


@pytest.mark.parametrize(
    ("to", "fact"),
    [("hf", "model"), ("in-toto", "dataset"), ("eee", "relation"), ("eee", "relationship")],
)
def test_other_names_and_words_are_refused(record: dict[str, Any], to: str, fact: str) -> None:
    """A name that the form has no place for was dropped, and a word that it has not was written."""
    facts = {"dataset": "d", "task": "t"} if to == "hf" else {}
    with pytest.raises(ValueError, match=r"no place for|must be one of first_party"):
        exported(record, to, {**facts, fact: "friend"})


def test_a_fact_that_is_given_twice_is_refused(
    record: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither of the two words for one fact is taken in silence."""
    (tmp_path / "r.json").write_text(json.dumps(record))
    facts = ["--set", "task=test", "--set", "dataset=one", "--set", "dataset=two"]

    assert main(["record", str(tmp_path / "r.json"), "--to", "hf", *facts]) == 2
    assert "--set: 'dataset' is given twice" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:.*of 30 scored", "ignore:intervals that promise less")
def test_slices_have_their_own_numbers_of_samples(tmp_path: Path) -> None:
    """In the lines of a log, and in notes, where n is that of the interval."""
    requires("pyarrow")
    rows = [f"{i},{'' if i == 4 else i % 2},1,{'xy'[i < 10]}\n" for i in range(30)]
    (tmp_path / "rows.csv").write_text("id,predictions,labels,zone\n" + "".join(rows))
    written, lines = tmp_path / "record.json", tmp_path / "lines.csv"
    words = ["score", str(tmp_path / "rows.csv"), "--metric", "accuracy", "--by", "zone", "-q"]
    words += ["--interval", "--unscored", "drop", "--record", str(written)]
    assert main(words) == 0
    assert main(["log", str(written), "--csv", str(lines), "-q"]) == 0
    found = [line.split(",") for line in lines.read_text().splitlines()]
    column = found[0].index("samples")
    assert {line[2]: line[column] for line in found[1:]} == {
        "all": "30", "zone=x": "20", "zone=y": "10"
    }  # fmt: skip
    notes = [one["notes"] for one in exported(json.loads(written.read_text()), "hf", FACTS["hf"])]
    wanted = ["n = 29, 29 of 30 scored", "n = 20, record", "n = 9, 9 of 10 scored"]
    assert [part in note for part, note in zip(wanted, notes, strict=True)] == [True] * 3


def test_a_log_marks_intervals_of_few_samples(tmp_path: Path, capsys: Any) -> None:
    """In the table by ~, and in the CSV by the reason."""
    requires("pyarrow")
    (tmp_path / "rows.csv").write_text("values\n1\n2\n4\n7\n3\n5\n")
    written, lines = str(tmp_path / "record.json"), tmp_path / "lines.csv"
    words = ["score", str(tmp_path / "rows.csv"), "--metric", "mean", "--interval", "-q"]
    assert main([*words, "--record", written]) == 0
    assert main(["log", written, "--csv", str(lines)]) == 0
    head, line = lines.read_text().splitlines()
    assert dict(zip(head.split(","), line.split(","), strict=True))["thin"].startswith(
        "there are only 6"
    )
    assert "] ~" in capsys.readouterr().out
