"""Files that several tests of the command line read."""

import numpy as np
import pytest

from tests.cli.files import ROWS, write
from tests.cli.systems import tables


@pytest.fixture
def files(tmp_path):
    """The two files; b has another order and format."""
    a, b = tables()
    order = np.random.default_rng(1).permutation(ROWS)
    return [
        str(write(tmp_path, "csv", a, "a")),
        str(write(tmp_path, "parquet", b, "b")),
        str(write(tmp_path, "jsonl", {k: v[order] for k, v in b.items()}, "shuffled")),
    ]
