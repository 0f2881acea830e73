"""Write the files that the commands of docs/cli.md and docs/ci.md name into the current folder.

python examples/prediction_files.py

They hold the predictions of two models for 1,000 samples of ten classes: 900 of the old one's are
right, and 950 of the new one's. What they do not say is drawn at random. The script needs pyarrow,
which comes with the extra `cli`.
"""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

rng = np.random.default_rng(0)
labels = rng.integers(0, 10, 1000)
samples = {
    "id": np.arange(1000),
    "labels": labels,
    "domain": rng.choice(["day", "night"], 1000),
    "language": rng.choice(["en", "de"], 1000),
}


def write_table(name, columns):
    """Write columns in the format that the name says."""
    table = pa.table({key: list(values) for key, values in columns.items()})
    write = pyarrow.csv.write_csv if name.endswith(".csv") else pyarrow.parquet.write_table
    write(table, name)


def write_lines(name, *rows):
    """Write one JSON object per line."""
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


# Two models: the classes that they predict. The new one is right wherever the old one is.
for model, right in (("old", 900), ("new", 950)):
    found = np.where(np.arange(1000) < right, labels, (labels + 1) % 10)
    write_table(f"{model}.csv", samples | {"predictions": found})
    write_table(f"{model}-1.parquet", samples | {"predictions": found})
np.savez("preds.npz", predictions=found, labels=labels)

# Scores of ten classes for every sample: as a list in one column, and in ten columns.
scores = np.eye(10)[found] + rng.random((1000, 10))
write_table("preds.parquet", samples | {"predictions": scores})
write_table("preds-1.parquet", samples | {"predictions": scores})
columns = {f"score_{c}": scores[:, c] for c in range(10)}
write_table("preds.csv", {"target": labels} | columns)

# A run in which 10 of 100 samples failed; 80 of the others are right.
failed = {"labels": [1] * 100, "predictions": [1] * 80 + [0] * 10 + [None] * 10}
write_table("failed.csv", failed | {"status": ["ok"] * 90 + ["error"] * 10})

# Texts: answers with one or several references, translations, and the documents of a query.
write_lines("answers.jsonl", {"predictions": "in Paris", "references": ["Paris", "Paris, France"]})
write_table("translations.csv", {"system": ["a cat", "7"], "human": ["the cat", "seven"]})
query = {"predictions": [0.9, 0.5, 0.1], "labels": [1, 0, 2], "documents": ["d7", "d2", "d4"]}
write_lines("queries.jsonl", query)

# COCO's results, and the ground truths.
box = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5]}
truth = {
    "images": [{"id": 1, "width": 9, "height": 9}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [box | {"id": 1, "area": 25, "iscrowd": 0}],
}
Path("boxes.json").write_text(json.dumps([box | {"score": 0.5}]))
Path("instances.json").write_text(json.dumps(truth))
