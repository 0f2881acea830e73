"""What loggers and files give back is what the metrics computed."""

import json
import math
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing.metric_case import draw, value_of
from mmeval_like.testing.same import same
from tests.helpers.optional import require_installed, requires
from tests.metric_cases import CASES

pytestmark = pytest.mark.filterwarnings("ignore")


@cache
def results() -> list[mm.Result]:
    """The result of every case of every metric."""
    rng = np.random.default_rng
    return [value_of(case, draw(case, rng(0))[0]) for _, case in sorted(CASES.items())]


def numbers() -> list[dict[str, float]]:
    """The numbers of each result, by names that no other result has."""
    return [result.flat(f"case {place}/") for place, result in enumerate(results())]


def equal(found: dict[str, float], wanted: dict[str, float]) -> bool:
    """The same names, and of each the same float; nan is equal to nan."""
    return found.keys() == wanted.keys() and all(
        value == wanted[name] or (math.isnan(value) and math.isnan(wanted[name]))
        for name, value in found.items()
    )


def test_files_give_back_every_result():
    """JSON and YAML, also what is not a number."""
    yaml = requires("yaml")

    for result in results():
        plain = result.plain()
        assert same(json.loads(json.dumps(plain)), plain)
        assert same(yaml.safe_load(yaml.safe_dump(plain, sort_keys=False)), plain)


def test_tensorboard_gives_back_every_result(tmp_path):
    """As the float32 that TensorBoard keeps."""
    require_installed("torch", "tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    wanted = {}
    with SummaryWriter(tmp_path) as writer:
        for result in numbers():
            for name, value in result.items():
                writer.add_scalar(name, value)
                wanted[name] = float(np.float32(value))

    events = EventAccumulator(str(tmp_path))
    events.Reload()
    found = {name: events.Scalars(name)[0].value for name in events.Tags()["scalars"]}
    assert equal(found, wanted)


def test_mlflow_gives_back_every_result(tmp_path, monkeypatch):
    """By the names that MLflow accepts, which stay apart; in a database infinity has no place."""
    mlflow = requires("mlflow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    wanted = {}
    for result in numbers():
        wanted |= mm.integrations.mlflow_names(result)
    assert len(wanted) == sum(map(len, numbers()))

    with mlflow.start_run() as run:
        for start in range(0, len(wanted), 1000):  # as many as it takes in one call
            mlflow.log_metrics(dict([*wanted.items()][start : start + 1000]))

    found = mlflow.get_run(run.info.run_id).data.metrics
    assert equal(found, {name: float(np.nan_to_num(v, nan=np.nan)) for name, v in wanted.items()})


def test_names_that_mlflow_could_not_tell_apart_are_refused():
    """Rather than that one number takes the other's place."""
    with pytest.raises(ValueError, match="'a=b' and another name both become 'a_b'"):
        mm.integrations.mlflow_names({"a_b": 1.0, "a=b": 2.0})


def test_wandb_gives_back_every_result(tmp_path, monkeypatch):
    """From the file of an offline run, by the names of `flat`."""
    wandb = requires("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")

    with wandb.init(mode="offline", dir=tmp_path) as run:
        for result in numbers():
            run.log(result)

    [file] = tmp_path.glob("wandb/offline-run-*/*.wandb")
    wanted = {name: value for result in numbers() for name, value in result.items()}
    assert equal(logged(file), wanted)


def logged(file: Path) -> dict[str, float]:
    """The numbers in the file of an offline run of wandb."""
    from wandb.proto.wandb_internal_pb2 import Record

    found = {}
    for data in leveldb_records(file.read_bytes()):
        record = Record()
        record.ParseFromString(data)
        for item in record.history.item:
            name = item.key or ".".join(item.nested_key)
            if not name.startswith("_"):
                found[name] = float(json.loads(item.value_json))
    return found


def leveldb_records(data: bytes) -> Iterator[bytes]:
    """The records of a log in LevelDB's format: blocks of 32 KiB, with 7 bytes before a piece."""
    place, whole = 7, b""  # behind the file's own head
    while place < len(data):
        left = -place % 2**15
        if 0 < left < 7:
            place += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, place)
        whole += data[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):  # a whole record, or the last piece of one
            yield whole
            whole = b""


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
