"""What the Trainer of transformers predicted, and was saved, gives the Trainer's own numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.helpers import requires

requires("pyarrow")


@pytest.mark.filterwarnings("ignore")
def test_predictions_of_the_trainer(tmp_path: Path, capsys: Any) -> None:
    """A tiny model with random weights; the accuracy is that of the Trainer's own results."""
    torch, transformers = requires("torch"), requires("transformers")
    rng = np.random.default_rng(0)
    data = [
        {"input_ids": torch.from_numpy(rng.integers(0, 20, 6)), "labels": int(rng.integers(3))}
        for _ in range(23)
    ]
    config = transformers.BertConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=8, num_labels=3,
    )  # fmt: skip
    torch.manual_seed(0)
    trainer = transformers.Trainer(
        transformers.BertForSequenceClassification(config),
        transformers.TrainingArguments(
            str(tmp_path), per_device_eval_batch_size=5, report_to=[], use_cpu=True
        ),
        compute_metrics=lambda found: {
            "accuracy": float((found.predictions.argmax(axis=1) == found.label_ids).mean())
        },
    )
    output = trainer.predict(data)
    trainer.save_metrics("test", output.metrics)
    file = tmp_path / "predictions.npz"
    np.savez(file, predictions=output.predictions, label_ids=output.label_ids)
    capsys.readouterr()

    assert main(["score", str(file), "--metric", "accuracy:thrs=none", "-q", "--json", "-"]) == 0
    ours = json.loads(capsys.readouterr().out)
    theirs = json.loads((tmp_path / "all_results.json").read_text())
    assert ours["accuracy"]["top1"] == theirs["test_accuracy"]
