"""Logs of lm-eval, Inspect and lighteval: computed anew, and compared with their numbers."""

from __future__ import annotations

import gzip
import itertools
import json
import math
import shutil
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli.readers.log_files import as_keys
from mmeval_like.logs import LogError, guess, read_log
from mmeval_like.logs.compare import Number, compared
from mmeval_like.logs.files import unzipped
from mmeval_like.logs.inspect_ai import reduced
from mmeval_like.logs.rules import RULES, mean_of_groups, pooled_error, standard_error
from tests.helpers import requires
from tests.logs import second_system
from tests.project.test_docs import ROOT

requires("pyarrow")

FOLDER = Path(__file__).parent
LM_EVAL, INSPECT = FOLDER / "lm_eval", FOLDER / "inspect"
(RESULTS,) = LM_EVAL.glob("results_*.json")
LIGHTEVAL = FOLDER / "lighteval"
(SUMMARY,) = LIGHTEVAL.rglob("results_*.json")
ALL = {"lm-eval": LM_EVAL, "inspect": INSPECT, "lighteval": SUMMARY}


def samples_of(task: str) -> Path:
    """The file of samples of a task of lm-eval."""
    (found,) = LM_EVAL.glob(f"samples_{task}_*.jsonl")
    return found


def by_name(numbers: Sequence[Number]) -> dict[tuple[str, str, str], Number]:
    """Numbers by task, score and name."""
    return {(one.task, one.score, one.name): one for one in numbers}


@pytest.mark.parametrize(("name", "least"), [("lm-eval", 10), ("inspect", 5), ("lighteval", 4)])
def test_every_number_of_a_harness_is_reproduced_or_explained(name: str, least: int) -> None:
    """It is equal to the last digit, or a remark says why it is not; none is unexplained."""
    numbers = compared(read_log(ALL[name]))

    for one in numbers:
        assert one.same or one.remarks, one
        assert "DIFFERS" not in " ".join(one.remarks), one
        if one.value is not None and one.harness is not None:
            assert one.value == pytest.approx(one.harness, rel=1e-12) or one.name == "median"
    assert len({(one.task, one.score) for one in numbers if one.same}) >= least


def test_lm_eval_wrote_all_numbers_that_are_compared() -> None:
    """Nothing of its file of results is left out, and nothing is there that it did not write."""
    written = json.loads(RESULTS.read_text())["results"]
    theirs = sorted(
        value
        for numbers in written.values()
        for key, value in numbers.items()
        if "," in key and isinstance(value, float)
    )

    assert sorted(one.harness for one in compared(read_log(LM_EVAL))) == theirs


def test_a_score_that_was_changed_is_found(tmp_path: Path) -> None:
    """One sample of twelve is turned: the harness's mean no longer follows from the scores."""
    shutil.copytree(LM_EVAL, tmp_path / "log")
    file = tmp_path / "log" / samples_of("animals").name
    first, *lines = file.read_text().splitlines(keepends=True)
    turned = json.loads(first)
    turned["acc"] = 1.0 - turned["acc"]
    file.write_text(json.dumps(turned) + "\n" + "".join(lines))

    found = by_name(compared(read_log(file)))
    assert "DIFFERS" in found["animals", "acc", "mean"].remarks[0]
    assert found["animals", "acc_norm", "mean"].same


def test_a_median_that_is_none_is_named() -> None:
    """lm-eval takes one of the two values in the middle; numpy's median is ours."""
    log = read_log(samples_of("middle"))
    median = compared(log)[0]

    assert median.value == pytest.approx(np.median(log.scores[0].values), rel=1e-15)
    assert "not the median" in median.remarks[0]


def test_standard_errors_against_numpy() -> None:
    """Without groups it is the usual one; with groups a sum over these."""
    rng = np.random.default_rng(0)
    values, groups = rng.random(40), rng.integers(0, 7, 40)
    exact = [*map(Fraction, values.tolist())]
    sums = [(values - values.mean())[groups == g].sum() for g in np.unique(groups)]

    plain = values.std(ddof=1) / math.sqrt(40)
    assert standard_error(exact) == pytest.approx(plain, rel=1e-14)
    clustered = math.sqrt(7 / 6 * np.square(sums).sum()) / 40
    assert standard_error(exact, groups.tolist()) == pytest.approx(clustered, rel=1e-13)
    assert RULES["std"](exact) == pytest.approx(values.std(ddof=1), rel=1e-14)
    assert RULES["var"](exact) == pytest.approx(values.var(ddof=1), rel=1e-14)
    assert RULES["median"](exact[:39]) == np.median(values[:39])


def test_numbers_of_groups_of_tasks() -> None:
    """The mean of all samples or of the tasks' means, and an error within tasks, as numpy's."""
    rng = np.random.default_rng(0)
    parts = [rng.random(n) for n in (5, 9, 2)]
    exact = [Fraction(value) for part in parts for value in part.tolist()]
    tasks = [name for name, part in zip("abc", parts, strict=True) for _ in part]
    assert mean_of_groups(exact, tasks) == pytest.approx(np.mean([part.mean() for part in parts]))
    within = sum(((part - part.mean()) ** 2).sum() for part in parts) / (16 - 3) / 16
    assert pooled_error(exact, tasks) == pytest.approx(math.sqrt(within))
    assert math.isnan(pooled_error(exact[:2], ["a", "b"]))

    found = by_name(compared(read_log(LM_EVAL)))
    assert found["both", "acc", "mean"].same
    members = [found[task, "acc", "mean"].value for task in ("animals", "yes_no")]
    assert found["both", "acc", "mean"].value == pytest.approx(np.mean(members))


@pytest.mark.parametrize("version", ["0.4.12", "0.4.13"])
def test_an_error_of_a_group_says_which_mean_it_is_of(tmp_path: Path, version: str) -> None:
    """Beside the mean of the tasks' means, lm-eval writes that of the mean of all samples until
    0.4.12, and from 0.4.13 on that of the mean beside it: the root of Σ se² / k².
    """
    shutil.copytree(LM_EVAL, tmp_path / "log")
    for file in (tmp_path / "log").glob("samples_yes_no_*"):
        file.write_text("".join(file.read_text().splitlines(keepends=True)[:3]))
    animals, few = (
        [json.loads(line)["acc"] for line in file.read_text().splitlines()]
        for task in ("animals", "yes_no")
        for file in (tmp_path / "log").glob(f"samples_{task}_*")
    )
    (results,) = (tmp_path / "log").glob("results_*.json")
    wrote = json.loads(results.read_text())
    apart = float(np.mean([np.mean(animals), np.mean(few)]))
    if version == "0.4.12":
        theirs = math.sqrt((12 * np.var(animals) + 3 * np.var(few)) / 13 / 15)
    else:
        theirs = math.hypot(*(np.std(x, ddof=1) / math.sqrt(len(x)) for x in (animals, few))) / 2
    wrote["groups"]["both"] |= {"acc,none": apart, "acc_stderr,none": theirs}
    wrote["n-samples"]["yes_no"]["effective"] = 3
    results.write_text(json.dumps(wrote))

    found = by_name(compared(read_log(tmp_path / "log")))
    mean, error = found["both", "acc", "mean"], found["both", "acc", "stderr"]
    assert mean.value == pytest.approx(apart)
    assert "unweighted" in mean.remarks[-1]
    assert error.value == pytest.approx(theirs)
    assert not any("DIFFERS" in remark for remark in error.remarks)
    assert ("unweighted" in error.remarks[-1]) == (version == "0.4.13")
    assert error.remarks[-1].endswith("within tasks; it holds for these tasks only")


def test_clusters_that_a_harness_ignored_are_told() -> None:
    """The standard error by kind is Inspect's own where it was asked for, and else a remark."""
    numbers = by_name(compared(read_log(INSPECT / "numbers.json.gz"), cluster="kind"))

    asked = numbers["numbers", "by_kind", "stderr"]
    assert asked.value == pytest.approx(asked.harness, rel=1e-14)
    assert not any("independent" in remark for remark in asked.remarks)
    ignored = numbers["numbers", "length", "stderr"]
    assert "treats 7 samples as independent; as 2 groups of 'kind'" in ignored.remarks[-1]
    with pytest.raises(LogError, match="no field 'page' in its samples; they have kind"):
        compared(read_log(INSPECT / "animals.eval"), cluster="page")


def clustered(path: Path, kinds: list[Any]) -> Path:
    """A log of lm-eval with a field `page` of these values, which repeat, in task `yes_no`."""
    (file,) = LM_EVAL.glob("samples_yes_no_*.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for number, line in enumerate(lines):
        line["doc"]["page"] = kinds[number % len(kinds)]
        line["acc"] = float(number % len(kinds) < 2)
    target = path / file.name
    target.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return target


def test_intervals_are_those_of_the_clusters(tmp_path: Path) -> None:
    """As those of a mean that is given them: here all samples of a cluster are alike."""
    names = list("abcdef")
    log = read_log(clustered(tmp_path, names))
    [scores] = [one for one in log.scores if one.name == "acc"]
    metric = mm.Mean(bounds=(0, 1), interval=0.9)
    metric.add(scores.values, clusters=[names[n % 6] for n in range(len(scores.values))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = metric.compute()

    found = by_name(compared(log, cluster="page", level=0.9))[scores.task, "acc", "mean"]
    alone = by_name(compared(log, level=0.9))[scores.task, "acc", "mean"]

    assert (found.low, found.high) == (wanted["mean_low"], wanted["mean_high"])
    assert found.low < alone.low < alone.high < found.high


@pytest.mark.parametrize("blank", [None, "", " "])
def test_samples_without_a_cluster_are_refused(tmp_path: Path, blank: Any) -> None:
    """They would all be one cluster."""
    log = read_log(clustered(tmp_path, ["a", "b", blank]))
    with pytest.raises(LogError, match="4 of 12 samples of yes_no have no such field, the first"):
        compared(log, cluster="page")


def test_fields_that_are_nan_are_missing() -> None:
    """As in tables: lm-eval writes what pandas had for a text that is missing."""
    assert as_keys(["law", math.nan, None]) == ["law", None, None]
    assert as_keys([0.5, math.nan]) == [0.5, None]


def test_tasks_without_the_field_of_the_clusters_are_told() -> None:
    """Their intervals treat the samples as independent, and say so."""
    log = read_log(LM_EVAL)
    [first, *_] = log.scores
    plain = {name: cells for name, cells in first.fields.items() if name != "kind"}
    log = replace(log, scores=[replace(first, fields=plain), *log.scores[1:]])

    [mean, *_] = compared(log, cluster="kind")

    assert "no field 'kind': the interval treats the samples as independent" in mean.remarks


def test_a_zip_file_is_opened_a_fixed_number_of_times(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not once for each sample: its table of contents grows with the number of samples."""
    _, long = second_system.inspect(tmp_path / "long", list)
    _, short = second_system.inspect(tmp_path / "short", lambda samples: samples[:2])
    opened: list[int] = []
    init = zipfile.ZipFile.__init__

    def counting(self: zipfile.ZipFile, *arguments: Any, **named: Any) -> None:
        opened[-1] += 1
        init(self, *arguments, **named)

    monkeypatch.setattr(zipfile.ZipFile, "__init__", counting)
    for file in (short, long):
        opened.append(0)
        assert read_log(file).scores
    assert opened[0] == opened[1]


def test_repeats_are_reduced_as_inspect_did() -> None:
    """Each question was asked three times; its reduced values are those that the log has."""
    for name in ("repeated", "reduced"):
        file = INSPECT / f"{name}.eval"
        with unzipped(file) as readers:
            written = {
                one.get("reducer", ""): [s["value"] for s in one["samples"]]
                for one in readers["reductions.json"]()
            }
        log = read_log(file)
        assert {scores.part for scores in log.scores} == set(written)
        for scores in log.scores:
            letters = {"C": 1.0, "I": 0.0}
            theirs = [letters.get(value, value) for value in written[scores.part]]
            assert scores.values == pytest.approx(theirs, rel=1e-14)
            assert len(scores.values) == len(set(scores.ids)) == 7


@pytest.mark.parametrize("repeats", [[1, 0, 1, 1], [0, 0, 0], [1], [0.5, 1, 1, 0, 1]])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_k_of_several_repeats(repeats: list[float], k: int) -> None:
    """Any, or all, of k repeats that are drawn are right; at least k of all repeats are."""
    draws = [*itertools.combinations([value >= 1 for value in repeats], k)]
    for reducer, right in (("pass_at", any), ("pass_k", all)):
        expected = Fraction(sum(map(right, draws)), len(draws)) if draws else None
        assert reduced(f"{reducer}_{k}", repeats) == expected
    assert reduced(f"at_least_{k}", repeats) == (sum(value >= 1 for value in repeats) >= k)


def test_samples_come_with_ids_and_fields() -> None:
    """A score is a table that `mm.score` takes, with slices by what is known of the samples."""
    (scores, *_) = read_log(INSPECT / "animals.eval").scores
    by = mm.score(scores.table, mm.Mean(), by="kind", ids="id")
    assert by["all"]["mean"] == sum(scores.values) / 7
    assert set(by) == {"all", "kind=tame", "kind=wild"}

    (scores, *_) = read_log(samples_of("animals")).scores
    assert scores.ids == [*range(12)]
    assert {"question", "kind", "word"} <= set(scores.fields)


@pytest.mark.parametrize("name", ["lm-eval", "inspect"])
def test_whose_log_it_is_follows_from_the_content(name: str, tmp_path: Path) -> None:
    """A file under any name that keeps its ending, compressed or not, and a folder of files."""
    for file in sorted(ALL[name].iterdir()):
        assert guess(file) == name
        ending = "".join(file.suffixes[-2:]) if file.suffix == ".gz" else file.suffix
        content = file.read_bytes()
        (tmp_path / f"other{ending}").write_bytes(content)
        assert guess(tmp_path / f"other{ending}") == name
        if file.suffix != ".eval":
            (tmp_path / f"packed{file.suffix}.gz").write_bytes(gzip.compress(content))
            assert file.suffix == ".gz" or guess(tmp_path / f"packed{file.suffix}.gz") == name
    assert guess(ALL[name]) == name


def test_the_files_of_lighteval_find_each_other() -> None:
    """Results, the folder of details, and one file of these; each knows the harness's numbers."""
    files = sorted(LIGHTEVAL.rglob("details_*.parquet"))
    numbers = [one for file in files for one in compared(read_log(file))]

    for path in (SUMMARY, files[0].parent):
        assert guess(path) == guess(files[0]) == "lighteval"
        assert compared(read_log(path)) == numbers
    written = json.loads(SUMMARY.read_text())["results"]
    assert {one.task: one.harness for one in numbers if one.score == "acc"} == {
        "animals|0": written["animals|0"]["acc_stderr"]
    }
    assert read_log(files[0]).scores[0].fields["kind"][0] in ("tame", "wild")


def test_samples_without_results_have_nothing_to_compare(tmp_path: Path) -> None:
    """The numbers are those of the samples, and it is said that no other ones were found."""
    file = shutil.copy(samples_of("animals"), tmp_path)
    log = read_log(file)

    assert "in its folder to compare with" in log.remarks[0]
    found = by_name(compared(log))["animals", "acc", "mean"]
    assert found.value == np.mean(log.scores[0].values)
    assert found.harness is None


def test_inspect_writes_such_logs_today(tmp_path: Path) -> None:
    """The installed Inspect, with its mock model, gives the numbers of the logs that are kept."""
    requires("inspect_ai")
    command = [sys.executable, "-m", "tests.logs.make_inspect", str(tmp_path / "logs")]
    subprocess.run(command, cwd=ROOT, check=True, timeout=200)
    fresh, kept = (compared(read_log(folder)) for folder in (tmp_path / "logs", INSPECT))
    assert fresh == kept
