"""Prediction files of two systems."""

import numpy as np

from tests.cli.files import ROWS


def tables(right=(0.5, 0.8)):
    """Class ids of two systems, with names, slices and labels."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, ROWS)
    shared = {
        "labels": labels,
        "domain": rng.choice(["day", "night"], ROWS),
        "name": np.array([f"a/long/folder/of/images/{i:05}.jpg" for i in range(ROWS)]),
    }
    return [
        {"predictions": np.where(rng.random(ROWS) < q, labels, rng.integers(0, 4, ROWS)), **shared}
        for q in right
    ]
