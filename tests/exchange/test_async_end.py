"""How a process ends that computes meanwhile: in bounded time, and with its own exit code."""

import subprocess
import sys

from tests.helpers.launch import ROOT
from tests.helpers.optional import require_installed

PROGRAM = """
import atexit, sys, torch
import mmeval_like as mm
from mmeval_like._exchange import worker

class Endless(mm.Accuracy):
    def compute_metric(self, results):
        while True:
            torch.tanh(torch.rand(100_000))

def at_the_end():
    print(metric.compute())
    for ask in (endless.result, waiting.result, metric.compute_async):
        try:
            ask()
        except RuntimeError as error:
            print(error)

worker._GRACE = 0.1
metric, slow = mm.Accuracy(dist_backend="non_dist"), Endless(dist_backend="non_dist")
for one in (metric, slow):
    one.add([1, 0], [1, 1])
atexit.register(at_the_end)
endless, waiting = slow.compute_async(), mm.Mean().compute_async()
sys.exit(3)
"""


def test_a_thread_inside_of_a_library_of_cpp():
    """It is stopped, where its return to Python would abort the process; exit handlers are told."""
    require_installed("torch")

    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=60
    )

    value, endless, waiting, begun = ended.stdout.splitlines()
    assert (ended.returncode, ended.stderr) == (3, "")
    assert value == "{'top1': 0.5}"
    assert endless == waiting == "the process ended before the result was computed"
    assert "call compute() in exit handlers" in begun
