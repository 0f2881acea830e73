"""`add` in a step that `torch.compile` compiles: it is left out of the graph, and counts."""

import json
import shutil
import subprocess
import sys

import pytest

from tests.cli.files import environment
from tests.helpers.optional import require_installed
from tests.helpers.pace import patient

PROGRAM = """
import json, sys, warnings
import numpy as np
import mmeval_like as mm
from mmeval_like.core.base_metric import BaseMetric
assert "torch" not in sys.modules
import torch

class Own(BaseMetric):  # in MMEval style
    def add(self, scores, labels):
        shares = np.exp(np.asarray(scores))
        shares /= shares.sum(1, keepdims=True)
        self._results.extend(zip(shares.tolist(), labels.tolist()))

    def compute_metric(self, results):
        return {"chosen": sum(shares[label] for shares, label in results) / len(results)}

class Above(mm.Accuracy):
    def add(self, predictions, labels):
        super().add(predictions, labels)

torch.manual_seed(0)
weights, more = torch.randn(4, 3), torch.randn(3, 2)
table = mm.ConfusionMatrix(num_classes=3)
made = lambda: (mm.Accuracy(), mm.MetricCollection(a=mm.Accuracy(), b=table), Above(), Own())

def step_of(metric):
    def step(scores, labels):
        found = scores @ weights
        metric.add(found, labels)
        return found @ more
    return step

told = []
for metric, plain in zip(made(), made()):
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    step = torch.compile(step_of(metric), backend=sys.argv[1])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(100):
            batch = torch.randn(8, 4), torch.randint(0, 3, (8,))
            step_of(plain)(*batch)
            assert torch.allclose(step(*batch), batch[0] @ weights @ more)
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    said = {one.filename for one in caught if "negative scores" in str(one.message)}
    told.append([repr(metric.compute()), repr(plain.compute()), graphs, [*said]])
print(json.dumps(told))
"""


@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_a_compiled_step_adds_what_a_plain_one_adds(backend, tmp_path):
    """The same numbers and warnings; the graph breaks once, and torch is imported by the user."""
    require_installed("torch")
    if backend == "inductor" and shutil.which("g++") is None:
        pytest.skip("needs a C++ compiler")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    done = subprocess.run(
        [sys.executable, program, backend], env=environment(), capture_output=True, text=True,
        timeout=patient(120),
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    *several, own = json.loads(done.stdout)
    for compiled, plain, graphs, said in (*several, own):
        assert compiled == plain
        assert graphs == 2
        assert said == [str(program)] * (said is not own[3])
