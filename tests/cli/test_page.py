"""docs/cli.md and docs/ci.md: every command on these pages runs, on files that it names."""

import json
import re
import shlex

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import write
from tests.helpers.optional import requires
from tests.project.test_docs import ROOT, blocks

requires("pyarrow")

PAGE = ROOT / "docs" / "cli.md"
COMMANDS = [
    line
    for page in (PAGE, ROOT / "docs" / "ci.md")
    for block in blocks(page, "sh")
    for line in block.text.splitlines()
    if re.search("mmeval_like (score|compare|gate)", line) and "..." not in line
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files that the page names."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 10, 200)
    table = {
        "predictions": labels,
        "labels": labels,
        "target": labels,
        "domain": rng.choice(["day", "night"], 200),
        "language": rng.choice(["en", "de"], 200),
    }
    scores = {f"score_{c}": (labels == c) + rng.random(200) / 2 for c in range(10)}
    write(tmp_path, "npz", table)
    write(tmp_path, "csv", table | scores)
    write(tmp_path, "parquet", table | {"predictions": np.stack(list(scores.values()), axis=1)})
    write(tmp_path, "parquet", table, "preds-1")
    for name, wrong in (("old", 20), ("new", 10)):
        found = np.where(np.arange(200) < wrong, (labels + 1) % 10, labels)
        system = table | {"predictions": found, "id": np.arange(200)}
        write(tmp_path, "csv", system, name)
        write(tmp_path, "parquet", system, f"{name}-1")
    animals = np.array(["cat", "dog", "horse"])[labels % 3]
    write(tmp_path, "jsonl", {"predictions": animals, "target": animals})
    answers = {"predictions": ["in Paris"], "references": [["Paris", "Paris, France"]]}
    write(tmp_path, "jsonl", answers, "answers")
    write(
        tmp_path, "csv", {"system": ["a cat", "7"], "human": ["the cat", "seven"]}, "translations"
    )
    query = {"predictions": [[0.9, 0.5]], "labels": [[1, 2]], "documents": [["d7", "d2"]]}
    write(tmp_path, "jsonl", query, "queries")
    truth = {
        "images": [{"id": 1, "width": 9, "height": 9}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25,
             "iscrowd": 0},
        ],
    }  # fmt: skip
    (tmp_path / "instances.json").write_text(json.dumps(truth))
    box = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5}
    (tmp_path / "boxes.json").write_text(json.dumps([box]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arguments(command):
    """The arguments of a command; one rank, in this process, stands for all."""
    words = shlex.split(command.partition(" | ")[0])
    words = words[words.index("mmeval_like") + 1 :]
    if "-n" in words:
        at = words.index("-n")
        del words[at : at + 2]
    return words


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page(folder, capsys, command):
    """It does what it is shown for, and ends with 0; the samples may not suffice for --anytime."""
    if "coco" in command:
        requires("pycocotools")
    fine = (0, 3) if "--anytime" in command else (0,)

    assert main(arguments(command)) in fine, capsys.readouterr()


def test_the_file_of_options_on_the_page(folder, capsys):
    """The TOML that the page shows."""
    (block,) = blocks(PAGE, "toml")
    text = block.text.replace("ranks = 4\n", "").replace("accuracy:topk=1,5", "accuracy:topk=1")
    (folder / "eval.toml").write_text(text)

    assert main(["score", "--config", "eval.toml"]) == 0, capsys.readouterr().err


def test_there_are_commands():
    """The page shows some; the test sees them."""
    assert len(COMMANDS) >= 15
