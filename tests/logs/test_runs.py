"""Runs of HELM, and what the Trainer of transformers leaves: computed anew, and compared."""

from __future__ import annotations

import gzip
import json
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmeval_like.cli import main
from mmeval_like.logs import LogError, guess, read_log
from mmeval_like.logs.compare import Number, compared
from tests.logs.damage import damaged

FOLDER = Path(__file__).parent
HELM, TRAINER = FOLDER / "helm", FOLDER / "trainer"


def unpacked(folder: Path, target: Path) -> Path:
    """A run as HELM writes it: its files are not compressed."""
    target.mkdir()
    for file in folder.iterdir():
        (target / file.name.removesuffix(".gz")).write_bytes(gzip.decompress(file.read_bytes()))
    return target


def by_name(path: Path) -> dict[tuple[str, str], Number]:
    """Numbers by score and name."""
    return {(one.score, one.name): one for one in compared(read_log(path))}


def test_every_mean_of_helm_is_reproduced_or_explained() -> None:
    """To the last digit, or the harness rounds on the way; and none of its scores is forgotten."""
    numbers = compared(log := read_log(HELM))

    for one in numbers:
        assert one.harness is not None
        assert one.same or one.remarks == (
            "the harness rounds intermediate results; this number is rounded once",
        ), one
    names = ("exact_match", "quasi_exact_match", "f1_score", "logprob")
    parts = ("test", "valid", "test, lowercase", "valid, lowercase")
    assert {one.score for one in numbers} == {f"{n}, {part}" for n in names for part in parts}
    assert sum(one.same for one in numbers) >= 12
    written = json.loads(gzip.decompress((HELM / "stats.json.gz").read_bytes()))
    assert log.remarks[0].startswith(f"{len(numbers)} of {len(written)} numbers")


def test_trials_of_one_instance_are_one_sample() -> None:
    """Its value is the mean over trials: beside numpy, of what the file has."""
    found: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    trials = set()
    for entry in json.loads(gzip.decompress((HELM / "per_instance_stats.json.gz").read_bytes())):
        trials.add(entry["train_trial_index"])
        for stat in entry["stats"]:
            if not stat["count"]:
                continue
            name = stat["name"]
            part = ", lowercase" if "perturbation" in name else ""
            found[name["name"], name["split"] + part][entry["instance_id"]].append(stat["mean"])

    assert len(trials) == 3
    for scores in read_log(HELM).scores:
        own = found.pop((scores.name, scores.part))
        assert [*own] == [*scores.ids]
        assert scores.values == pytest.approx([np.mean(values) for values in own.values()])
        assert {len(values) for values in own.values()} == {3}


def test_the_files_of_a_run_find_each_other(tmp_path: Path) -> None:
    """The folder, each of both files, compressed or not, under its name or another one."""
    run = unpacked(HELM, tmp_path / "run")
    numbers = compared(read_log(HELM))

    for path in (run, run / "stats.json", run / "per_instance_stats.json"):
        assert guess(path) == "helm"
        assert compared(read_log(path)) == numbers
    for name in ("stats.json.gz", "per_instance_stats.json.gz"):
        assert guess(HELM / name) == "helm"
        assert compared(read_log(HELM / name)) == numbers
    other = (run / "per_instance_stats.json").rename(run / "scores.json")
    assert guess(other) == "helm"
    assert compared(read_log(other)) == numbers
    assert guess(run / "run_spec.json") is None
    with pytest.raises(LogError, match=r"its folder has no per_instance_stats\.json"):
        read_log(run / "stats.json")
    (run / "stats.json").unlink()
    assert "in its folder to compare with" in read_log(other).remarks[0]


def test_a_score_of_helm_that_was_changed_is_found(tmp_path: Path) -> None:
    """One instance is turned; and trials of different numbers of instances are not computed."""
    run = unpacked(HELM, tmp_path / "run")
    file = run / "per_instance_stats.json"
    entries = json.loads(file.read_text())
    (stat,) = [s for s in entries[0]["stats"] if s["name"]["name"] == "exact_match"][:1]
    stat["sum"] = 1 - stat["sum"]
    file.write_text(json.dumps(entries))
    split = stat["name"]["split"]
    assert "DIFFERS" in by_name(run)[f"exact_match, {split}", "mean"].remarks[0]

    entries.append(entries[0])
    file.write_text(json.dumps(entries))
    twice = by_name(run)[f"exact_match, {split}", "mean"]
    assert twice.value is None
    assert "unequal numbers of samples" in twice.remarks[0]


@pytest.mark.parametrize(
    ("kind", "names"),
    [("classes", ["loss", "accuracy", "matthews_correlation", "f1"]), ("numbers", ["loss", "mse"])],
)
def test_numbers_of_the_trainer(kind: str, names: list[str]) -> None:
    """Those of its own results; of losses, which are of single precision, it is said."""
    log = read_log(TRAINER / kind)
    numbers = compared(log)
    written = json.loads((TRAINER / kind / "all_results.json").read_text())

    assert [scores.name for scores in log.scores] == names
    for one in numbers:
        assert one.harness == written[f"test_{one.score}"]
        assert one.value == pytest.approx(one.harness, rel=1e-5)
        single = one.remarks == ("the harness computes this number in single precision",)
        assert one.same or single == (one.score in ("loss", "mse")), one
        assert "DIFFERS" not in " ".join(one.remarks)
    assert "begin with test_" in log.remarks[0]
    assert ("largest" in log.remarks[-1]) == (kind == "numbers")


def test_the_files_of_the_trainer_find_each_other(tmp_path: Path) -> None:
    """The folder, the predictions, and each of its own files."""
    numbers = compared(read_log(TRAINER / "classes"))
    for file in sorted((TRAINER / "classes").iterdir()):
        assert guess(file) == "trainer"
        assert compared(read_log(file)) == numbers
    alone = shutil.copy(TRAINER / "classes" / "predictions.npz", tmp_path)
    assert "in its folder to compare with" in read_log(alone).remarks[0]
    assert [one.value for one in compared(read_log(alone))] == [one.value for one in numbers]


def test_a_prediction_that_was_changed_is_found(tmp_path: Path) -> None:
    """The Trainer's accuracy does not follow from other labels."""
    run = shutil.copytree(TRAINER / "classes", tmp_path / "run")
    with np.load(run / "predictions.npz") as saved:
        predictions, labels = saved["predictions"], saved["label_ids"]
    labels[0] = 1 - labels[0]
    np.savez(run / "predictions.npz", predictions=predictions, label_ids=labels)

    found = by_name(run)
    for one in ("accuracy", "mean"), ("loss", "mean"):
        assert "DIFFERS" in found[one].remarks[0]


def test_totals_of_the_trainer_alone_are_refused(tmp_path: Path, capsys: Any) -> None:
    """The error says what to save, and the command ends with 2."""
    for name in ("all_results.json", "trainer_state.json"):
        shutil.copy(TRAINER / "classes" / name, tmp_path)
        assert main(["score", str(tmp_path / name)]) == 2
        assert "Save what predict returns as predictions.npz" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        ({"predictions": np.zeros((2, 5, 3)), "label_ids": np.zeros((2, 5), int)}, "as a table"),
        ({"predictions": np.zeros((2, 3)), "label_ids": np.array([0, 3])}, r"in \[0, 3\)"),
        ({"predictions": np.zeros((2, 3)), "label_ids": np.array([0, -100])}, r"in \[0, 3\)"),
        ({"predictions": np.zeros((2, 3)), "label_ids": np.zeros((2, 3))}, "as a table"),
        ({"predictions": np.zeros((3, 3)), "label_ids": np.zeros(2, int)}, "as a table"),
        ({"predictions": np.array(["a"]), "label_ids": np.zeros(1)}, "not in the format"),
        ({"predictions": np.array([{}]), "label_ids": np.zeros(1)}, "allow_pickle"),
        ({"predictions": np.array(1.0), "label_ids": np.array(1)}, "as a table"),
    ],
)
def test_predictions_that_are_no_classes_and_no_numbers(
    arrays: dict[str, Any], text: str, tmp_path: Path
) -> None:
    """They are a `LogError` that says what else can be done."""
    np.savez(tmp_path / "predictions.npz", **arrays)
    with pytest.raises(LogError, match=text):
        read_log(tmp_path / "predictions.npz", "trainer")


@pytest.mark.parametrize("seed", range(12))
def test_damaged_runs_are_refused_or_read(seed: int, tmp_path: Path) -> None:
    """Bytes changed, or the end lost: a `LogError` and nothing else."""
    rng = np.random.default_rng(seed)
    run = unpacked(HELM, tmp_path / "run")
    for source in (run / "per_instance_stats.json", TRAINER / "numbers" / "predictions.npz"):
        target = run / source.name
        target.write_bytes(damaged(source.read_bytes(), rng, cut=0.3, changes=3))
        try:
            compared(read_log(target, "helm" if target.suffix == ".json" else "trainer"))
        except LogError as error:
            assert source.name in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (float("nan"), "1 of 12 scores are nan or infinite"),
        (float("inf"), "1 of 12 scores are nan or infinite"),
        ([1, 2], "1 of 12 scores are not numbers: sample 0 has [1, 2]"),
        (None, "1 of 12 scores are not numbers: sample 0 has None"),
        ("high", "1 of 12 scores are not numbers: sample 0 has 'high'"),
    ],
)
def test_scores_that_are_no_numbers(score: Any, text: str, tmp_path: Path, capsys: Any) -> None:
    """One line of a log has such a score: the number has a remark, and is null in JSON."""
    (samples,) = (FOLDER / "lm_eval").glob("samples_animals_*.jsonl")
    first, *lines = samples.read_text().splitlines(keepends=True)
    turned = json.loads(first) | {"acc": score}
    file = tmp_path / samples.name
    file.write_text("".join([*lines, json.dumps(turned) + "\n"]))

    assert main(["score", str(file), "--json", str(tmp_path / "found.json")]) == 0
    found = {one["score"]: one for one in json.loads((tmp_path / "found.json").read_text())}
    assert found["acc"]["value"] is None
    assert text in found["acc"]["remarks"][0]
    assert found["acc_norm"]["value"] is not None
    assert text in " ".join(capsys.readouterr().out.split())
