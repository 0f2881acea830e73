"""Metrics of blocks of a table, merged; the engines themselves are in the recipes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.helpers.optional import require_installed, requires

pd = requires("pandas")
require_installed("pyarrow")

ROWS = 12
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.random((ROWS, 3)), columns=["p_0", "p_1", "p_2"]).assign(
    label=RNG.integers(0, 3, ROWS), day=["mon", "tue", None] * 4, id=range(ROWS)
)
METRICS = {"acc": mm.Accuracy(topk=(1, 2)), "kappa": mm.CohenKappa(num_classes=3)}
COLUMNS = {"predictions": "p_*", "labels": "label"}


@settings(max_examples=examples(12))
@given(
    st.lists(st.integers(0, ROWS), max_size=4),
    st.sampled_from([{}, {"by": "day"}, {"ids": "id"}, {"by": ["day"], "ids": "id"}]),
)
def test_any_blocks_give_the_bits_of_the_whole_table(cuts, how):
    """Empty ones too; a block that is counted twice changes nothing where rows have ids."""
    job = mm.integrations.MapReduce(METRICS, **how, **COLUMNS)
    edges = [0, *sorted(cuts), ROWS]
    blocks = [FRAME[start:stop] for start, stop in pairwise(edges)]
    if "ids" in how:
        blocks.append(blocks[0])

    parts = pd.concat(job.map_each(iter(blocks)))

    assert list(parts) == list(job.meta)
    assert same(job.reduce(parts).compute(), mm.score(FRAME, METRICS, **how, **COLUMNS))


def test_no_rows_at_all():
    """The value of no samples; of an empty column nobody can tell what it would hold."""
    job = mm.integrations.MapReduce(mm.Accuracy(), predictions="scores", labels="label")
    empty = pd.DataFrame({"scores": [], "label": []}, dtype=object)

    with pytest.warns(RuntimeWarning, match="no samples"):
        assert np.isnan(job.reduce(job.map(empty)).compute()["top1"])


def test_a_column_that_is_not_there_is_named_in_the_worker():
    """By the error of `mm.score`."""
    job = mm.integrations.MapReduce(mm.Accuracy(), predictions="p_*", labels="truth")

    with pytest.raises(ValueError, match="no column 'truth' in the table; it has p_0"):
        job.map(FRAME)
