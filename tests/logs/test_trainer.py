"""What the Trainer of transformers leaves today, and what was saved, give the Trainer's numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval_like.cli import main
from mmeval_like.logs import read_log
from mmeval_like.logs.compare import compared
from tests.helpers import requires

requires("pyarrow")


@pytest.mark.filterwarnings("ignore")
def test_predictions_of_the_trainer(tmp_path: Path, capsys: Any) -> None:
    """Tiny models with random weights: as a log, and the accuracy of a table."""
    requires("torch")
    requires("transformers")
    from tests.logs import make_trainer

    make_trainer.main(tmp_path)
    for kind, names in (("classes", 4), ("numbers", 2)):
        numbers = compared(read_log(tmp_path / kind))
        assert len(numbers) == names
        assert all(one.same or one.remarks for one in numbers)
        assert "DIFFERS" not in str(numbers)
    file = tmp_path / "classes" / "predictions.npz"
    capsys.readouterr()

    assert main(["score", str(file), "--metric", "accuracy:thrs=none", "-q", "--json", "-"]) == 0
    ours = json.loads(capsys.readouterr().out)
    theirs = json.loads((tmp_path / "classes" / "all_results.json").read_text())
    assert ours["accuracy"]["top1"] == theirs["test_accuracy"]
