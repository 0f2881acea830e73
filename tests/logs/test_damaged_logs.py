"""What is no log, and logs that are damaged or not whole: refused by name, or read as they are."""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from mmeval_like.logs import LogError, guess, read_log
from mmeval_like.logs.compare import compared
from tests.logs.damage import damaged
from tests.logs.test_logs import INSPECT, LM_EVAL, RESULTS, samples_of


def test_what_is_no_log_is_nobody_s(tmp_path: Path) -> None:
    """Predictions, other JSON, other zip files and empty files."""
    others = {"a.jsonl": b'{"predictions": 1}\n', "b.json": b"[]", "c.json": b"", "d.json.gz": b"x"}
    for name, content in others.items():
        (tmp_path / name).write_bytes(content)
        assert guess(tmp_path / name) is None
    with zipfile.ZipFile(tmp_path / "e.eval", "w") as archive:
        archive.writestr("a.txt", "")
    assert guess(tmp_path / "e.eval") is None
    with pytest.raises(LogError, match="not a log of lm-eval or inspect or lighteval"):
        read_log(tmp_path / "a.jsonl")
    with pytest.raises(
        ValueError, match=r"format must be one of lm-eval, inspect, .*, got 'other'"
    ):
        read_log(tmp_path / "a.jsonl", "other")


def test_a_document_of_lm_eval_that_occurs_twice(tmp_path: Path) -> None:
    """Refused, as Inspect's samples are: a repeated line would be one more sample."""
    file = samples_of("animals")
    lines = file.read_bytes().splitlines(keepends=True)
    (tmp_path / file.name).write_bytes(b"".join([*lines, lines[5]]))
    twice = json.loads(lines[5])["doc_id"]

    with pytest.raises(LogError, match=rf"doc_id {twice} occurs twice with the filter 'none'"):
        read_log(tmp_path / file.name)


@pytest.mark.parametrize("seed", range(30))
def test_damaged_logs_are_refused_or_read(seed: int, tmp_path: Path) -> None:
    """A file that lost its end, or of which bytes changed, is a `LogError` and nothing else."""
    rng = np.random.default_rng(seed)
    file = [samples_of("yes_no"), INSPECT / "animals.eval", INSPECT / "numbers.json.gz"][seed % 3]
    target = tmp_path / file.name
    target.write_bytes(damaged(file.read_bytes(), rng, cut=0.5, changes=5))

    name = "lm-eval" if seed % 3 == 0 else "inspect"
    with suppress(LogError):
        compared(read_log(target, name))


@pytest.mark.parametrize(
    "damage",
    [
        {"groups": ["both"]},
        {"groups": {"both": None}},
        {"group_subtasks": None},
        {"group_subtasks": {"both": 1}},
        {"group_subtasks": {"both": [["animals"]]}},
        {"group_subtasks": {"both": ["both"]}},
        {"group_subtasks": {"both": ["animals", "animals"]}},
        {"configs": None},
        {"configs": {"animals": {"metric_list": [{"metric": "acc", "aggregation": 1}]}}},
        {"results": {"animals": 1}},
        {"group_subtasks": {"both": ["0", "0"]} | {str(n): [str(n + 1)] * 2 for n in range(99)}},
    ],
)
def test_damaged_results_are_named_with_their_file(
    damage: dict[str, object], tmp_path: Path
) -> None:
    """Whatever stands where lm-eval writes its numbers and groups, it is a `LogError` of this file.

    The files of samples beside it are whole.
    """
    shutil.copytree(LM_EVAL, tmp_path / "log")
    file = tmp_path / "log" / RESULTS.name
    file.write_text(json.dumps(json.loads(file.read_text()) | damage))

    with pytest.raises(LogError, match=RESULTS.name):
        read_log(file)


def test_an_evaluation_that_did_not_finish(tmp_path: Path) -> None:
    """Samples without results are no log to score."""
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    with pytest.raises(LogError, match="has not finished"):
        read_log(tmp_path / "a.eval")
    with gzip.open(INSPECT / "numbers.json.gz") as file:
        log = json.load(file)
    (tmp_path / "b.json").write_text(json.dumps(log | {"results": None, "status": "cancelled"}))
    with pytest.raises(LogError, match="its status is 'cancelled'"):
        read_log(tmp_path / "b.json", "inspect")


def test_a_folder_of_inspect_with_other_files(tmp_path: Path) -> None:
    """What is no log is passed by; a folder without any is refused."""
    shutil.copy(INSPECT / "animals.eval", tmp_path)
    (tmp_path / "logs.json").write_text("{}")
    assert len(read_log(tmp_path, "inspect").files) == 1
    (tmp_path / "animals.eval").unlink()
    with pytest.raises(LogError, match="no log of Inspect in this folder"):
        read_log(tmp_path, "inspect")
