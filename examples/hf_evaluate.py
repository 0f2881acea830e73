"""Use metrics of this package where Hugging Face's evaluate expects its own.

python examples/hf_evaluate.py
"""

import evaluate
import numpy as np
from datasets import Dataset, Features, List, Value

import mmeval_like as mm

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
inputs = np.eye(3)[labels]
inputs[[0, 4]] = [0.1, 0.2, 0.7]


class TopAccuracy(evaluate.Metric):
    """Top-k accuracy of scores, which evaluate collects in its own file."""

    def _info(self):
        scores = {"predictions": List(Value("float64")), "references": Value("int64")}
        return evaluate.MetricInfo(
            description="Top-k accuracy.", citation="", inputs_description="Scores and labels.",
            features=Features(scores),
        )  # fmt: skip

    def _compute(self, predictions, references, **options):
        return mm.Accuracy(dist_backend="non_dist", **options)(predictions, references)


theirs = TopAccuracy()
for batch in Dataset.from_dict({"scores": inputs, "label": labels}).iter(batch_size=2):
    theirs.add_batch(predictions=batch["scores"], references=batch["label"])
print(theirs.compute(topk=[1, 2]))

# The same without evaluate: no files, and every rank has the result.
ours = mm.Accuracy(topk=(1, 2))
for batch in Dataset.from_dict({"scores": inputs, "label": labels}).iter(batch_size=2):
    ours.add(batch["scores"], batch["label"])
print(ours.compute())
