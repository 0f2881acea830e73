"""Groups of Ray, with keys that Ray itself would return in other forms, or could not sort."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import pytest

import mmeval_like as mm
from tests.helpers.optional import requires

pa = requires("pyarrow")
pd = requires("pandas")
ray = requires("ray")
requires("ray.data")

pytestmark = pytest.mark.filterwarnings("ignore")  # those of Ray, for what it uses itself

NOON = datetime.datetime(2026, 11, 1, 12, 0, 0, 5)
ZONE = datetime.timezone.utc
P, Y = [0, 1, 1, 0, 1, 1], [0, 1, 0, 0, 0, 1]
KEYS: dict[str, list[Any]] = {
    "time": [NOON, None, NOON + datetime.timedelta(1)],
    "zoned": [NOON.replace(tzinfo=ZONE), None, NOON.replace(day=2, tzinfo=ZONE)],
    "text": ["b", None, "a"],
    "hour": [NOON.time(), None, datetime.time(1)],
}
TYPES = {
    "time": pa.timestamp("us"),
    "zoned": pa.timestamp("us", "Europe/Berlin"),
    "text": pa.dictionary(pa.int8(), pa.string()),
    "hour": pa.time64("us"),
}


@pytest.fixture(scope="module", autouse=True)
def workers() -> Iterator[None]:
    """Two workers of this machine."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    context = ray.data.DataContext.get_current()
    before, context.default_hash_shuffle_parallelism = context.default_hash_shuffle_parallelism, 2
    yield
    context.default_hash_shuffle_parallelism = before
    ray.shutdown()


@pytest.mark.parametrize(
    ("keys", "frames"),
    [(["time"], False), (["zoned"], False), (["text", "hour"], False), (["text", "zoned"], True)],
)
def test_keys_are_those_of_the_dataset(keys: list[str], frames: bool) -> None:
    """Their values, zones and microseconds; a missing one is a group, and each group is one row."""
    columns = {name: pa.array(KEYS[name] * 2, TYPES[name]) for name in keys}
    table = pa.table(columns | {"p": P, "y": Y})
    blocks = [table.slice(0, 4), table.slice(4)]
    dataset = ray.data.from_arrow(blocks)
    if frames:
        dataset = ray.data.from_pandas([block.to_pandas() for block in blocks])
    states = mm.integrations.States(mm.Accuracy(), predictions="p", labels="y")

    found = mm.integrations.ray_states(dataset, states, keys=keys).take_all()

    groups = {tuple(row[key] for key in keys): states.read([row["state"]]) for row in found}
    assert len(found) == 3
    for place, key in enumerate(zip(*(KEYS[name] for name in keys), strict=True)):
        rows = {"predictions": P[place::3], "labels": Y[place::3]}
        result = groups[key].compute()
        assert (result, result.samples) == (mm.score(rows, mm.Accuracy()), 2)
