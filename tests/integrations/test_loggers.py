"""What loggers and files give back is what the metrics computed."""

import math

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing.metric_case import draw, value_of
from mmeval_like.testing.same import same
from tests.helpers.optional import require_installed, requires
from tests.metric_cases import CASES


def results():
    """The result of every metric, by the name of its case."""
    for name, case in sorted(CASES.items()):
        yield name, value_of(case, draw(case, np.random.default_rng(0))[0])


@pytest.mark.filterwarnings("ignore")
def test_yaml_gives_back_every_result():
    """Also what is not a number."""
    yaml = requires("yaml")

    for name, result in results():
        assert same(
            yaml.safe_load(yaml.safe_dump(result.plain(), sort_keys=False)), result.plain()
        ), name


@pytest.mark.filterwarnings("ignore")
def test_tensorboard_gives_back_every_number(tmp_path):
    """As the float32 that TensorBoard keeps."""
    require_installed("torch", "tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    written = {}
    with SummaryWriter(tmp_path) as writer:
        for name, result in results():
            written |= dict([*result.flat(f"{name}/").items()][:5])
        for key, value in written.items():
            writer.add_scalar(key, value)

    events = EventAccumulator(str(tmp_path))
    events.Reload()
    assert len(events.Tags()["scalars"]) == len({*written})
    for key in events.Tags()["scalars"]:
        wanted = float(np.float32(written[key]))
        [event] = events.Scalars(key)
        assert event.value == wanted or math.isnan(wanted)


@pytest.mark.filterwarnings("ignore")
def test_wandb_takes_flat(tmp_path, monkeypatch):
    """Each number is its own, by its own name."""
    wandb = requires("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    result = mm.MetricCollection({"acc": mm.Accuracy(topk=(1, 2))})([[0.1, 0.9]], [0])

    with wandb.init(mode="offline", dir=tmp_path) as run:
        run.log(result.flat("val/"))

        assert run.summary["val/acc_top1"] == 0.0
        assert run.summary["val/acc_top2"] == 1.0


def test_dask_bags_are_merged():
    """A metric for each partition, merged in any tree."""
    bag = requires("dask.bag")

    def counted(rows):
        metric = mm.Accuracy()
        metric.add(*zip(*rows, strict=True))
        return metric

    rows = [(i % 3, i % 2) for i in range(40)]
    parts = bag.from_sequence(rows, npartitions=7).map_partitions(
        lambda rows: [counted(list(rows))]
    )

    assert (
        parts.fold(lambda a, b: a + b).compute(scheduler="sync").compute()
        == counted(rows).compute()
    )
    assert mm.merge(parts.compute(scheduler="sync")).compute() == counted(rows).compute()
