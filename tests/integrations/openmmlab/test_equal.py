"""Every adapter has the values of OpenMMLab's own evaluator, on one rank and on two."""

import copy
import subprocess
import sys

import numpy as np
import pytest

from mmeval_like.testing import LocalWorld
from tests.helpers.optional import requires
from tests.integrations.openmmlab.originals import original

pytestmark = pytest.mark.filterwarnings("ignore")
requires("torch")
requires("mmengine")

from mmeval_like.integrations.openmmlab import naming  # noqa: E402
from mmeval_like.integrations.openmmlab.checked import differences  # noqa: E402
from tests.integrations.openmmlab.cases import CASES, CONFIGS, DRAWS, filled  # noqa: E402

TRIED = [(name, place) for name, configs in CONFIGS.items() for place in range(len(configs))]


def evaluated(metric, meta, samples, size=None, backend=None):
    """What an evaluator returns for data samples, which come in batches of two."""
    if metric.dataset_meta is None:
        metric.dataset_meta = meta
    for start in range(0, len(samples), 2):
        metric.process({}, copy.deepcopy(samples[start : start + 2]))
    if backend is not None:
        metric.engine.dist_backend = backend
    return metric.evaluate(len(samples) if size is None else size)


@pytest.mark.parametrize(("name", "place"), TRIED)
def test_values_are_those_of_the_original(name, place, tmp_path):
    """Names, their order, units, rounding; on two ranks with the samples that a sampler repeats."""
    package, _, kind = name.partition("/")[0].partition(".")
    theirs = original(package, kind)
    ours = getattr(naming.module_of(package), kind)
    for draw in range(DRAWS):
        rng = np.random.default_rng([draw, place])
        meta, samples = CASES[name](rng, tmp_path)
        options = filled(CONFIGS[name][place], tmp_path)
        expected = evaluated(theirs(**options), meta, samples)
        assert expected
        made = ours(**options)
        for _ in range(2):  # the second time without the samples of the first
            assert differences(evaluated(made, meta, samples), expected, made.digits) == []

        def on_rank(backend, options=options, meta=meta, samples=samples):
            padded = samples + samples[: len(samples) % 2]
            part = padded[backend.rank :: 2]
            return evaluated(ours(**options), meta, part, len(samples), backend)

        first, second = LocalWorld(2).run(on_rank)
        assert differences(first, expected, made.digits) == []
        assert [*first] == [*second]
        assert np.array_equal([*first.values()], [*second.values()], equal_nan=True)


def test_values_are_those_of_the_original_in_a_torch_job(tmp_path):
    """Two processes with gloo, through MMEngine's Evaluator, by the class that a config names."""
    for name in CASES:
        package, _, kind = name.partition("/")[0].partition(".")
        original(package, kind)
    command = [sys.executable, "-m", "tests.integrations.openmmlab.two_ranks_program"]
    ranks = [
        subprocess.Popen([*command, str(rank), tmp_path], stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    told = [rank.communicate(timeout=300)[0].splitlines() for rank in ranks]
    lines = [[line for line in one if line.startswith("compared")] for one in told]
    assert lines == [[f"compared {name} equal" for name in CASES]] * 2
