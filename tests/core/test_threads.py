"""The same samples give the same bits with one thread or many."""

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers import require_installed

CASES = {
    "MeanSquaredError": (mm.MeanSquaredError, (2, 3, 256, 256), None),
    "PeakSignalNoiseRatio": (mm.PeakSignalNoiseRatio, (2, 3, 256, 256), None),
    "EndPointError": (mm.EndPointError, (2, 256, 256, 2), None),
    "Perplexity": (mm.Perplexity, (2, 256, 512), (2, 256)),
    "Accuracy": (mm.Accuracy, (1024, 256), (1024,)),
}


@pytest.mark.parametrize("name", CASES)
def test_threads_change_no_bit(name: str) -> None:
    """Tensors large enough for torch to share them out among threads."""
    require_installed("torch")
    import torch

    make, shape, targets = CASES[name]
    rng = np.random.default_rng(0)
    first = torch.from_numpy(rng.random(shape, np.float32))
    second = rng.random(shape, np.float32) if targets is None else rng.integers(0, 256, targets)
    before = torch.get_num_threads()
    try:
        values = []
        for threads in (1, 2, 5):
            torch.set_num_threads(threads)
            values.append(make()(first, torch.from_numpy(second)))
    finally:
        torch.set_num_threads(before)

    assert values[0] == values[1] == values[2]
