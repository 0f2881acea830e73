"""Make what the Trainer of transformers leaves, in tests/logs/trainer, with tiny random models.

Usage: python -m tests.logs.make_trainer [FOLDER]

Needs torch and transformers. Nothing is downloaded. One model has two classes, the other one
predicts a number; neither is trained.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef, mean_squared_error

FOLDER = Path(__file__).parent / "trainer"


def of_classes(found: transformers.EvalPrediction) -> dict[str, float]:
    """As the examples of transformers name what they compute."""
    classes, labels = found.predictions.argmax(axis=1), found.label_ids
    return {
        "accuracy": float(accuracy_score(labels, classes)),
        "f1": float(f1_score(labels, classes)),
        "matthews_correlation": float(matthews_corrcoef(labels, classes)),
    }


def of_numbers(found: transformers.EvalPrediction) -> dict[str, float]:
    """The mean squared error, and one that nobody knows."""
    numbers, labels = found.predictions.ravel(), found.label_ids
    return {
        "mse": float(mean_squared_error(labels, numbers)),
        "largest": float(np.abs(numbers - labels).max()),
    }


def run(folder: Path, classes: int, labels: list[Any], compute: Any) -> None:
    """Predict, and save what the Trainer saves and what `predict` returns."""
    rng = np.random.default_rng(0)
    data = [
        {"input_ids": torch.from_numpy(rng.integers(0, 20, 6)), "labels": label} for label in labels
    ]
    config = transformers.BertConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=8, num_labels=classes, initializer_range=1.0,
    )  # fmt: skip
    torch.manual_seed(2)
    trainer = transformers.Trainer(
        transformers.BertForSequenceClassification(config),
        transformers.TrainingArguments(
            str(folder), per_device_eval_batch_size=5, report_to=[], use_cpu=True,
            disable_tqdm=True,
        ),
        compute_metrics=compute,
    )  # fmt: skip
    output = trainer.predict(data)
    trainer.save_metrics("test", output.metrics)
    trainer.save_state()
    np.savez(folder / "predictions.npz", predictions=output.predictions, label_ids=output.label_ids)


def main(folder: Path = FOLDER) -> None:
    """Run both models."""
    shutil.rmtree(folder, ignore_errors=True)
    rng = np.random.default_rng(1)
    run(folder / "classes", 2, rng.integers(0, 2, 23).tolist(), of_classes)
    run(folder / "numbers", 1, rng.normal(size=17).tolist(), of_numbers)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
