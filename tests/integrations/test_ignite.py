"""PyTorch-Ignite's own Engine."""

import pytest

import mmeval_like as mm
from tests.helpers.optional import requires

engine = requires("ignite.engine")


@pytest.mark.parametrize("named", [False, True])
def test_attach(named):
    """Each run has its own samples; tuples and dicts are what `add` takes."""

    def step(_, batch):
        found, truth, ids = batch
        return {"predictions": found, "labels": truth, "ids": ids} if named else (found, truth)

    evaluator = engine.Engine(step)
    metrics = mm.MetricCollection({"acc": mm.Accuracy()})
    mm.integrations.attach(metrics, evaluator, size=3)

    for _ in range(2):
        evaluator.run([([1, 0], [1, 1], [0, 2]), ([2], [2], [1])])
        assert evaluator.state.metrics == {"acc_top1": 2 / 3}
