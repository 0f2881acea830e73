"""Groups of Spark, with keys that Arrow and Spark have in different forms."""

from __future__ import annotations

import datetime
import sys
from typing import Any

import pytest

import mmeval_like as mm
from tests.helpers.optional import requires

requires("pyarrow")
sql = requires("pyspark.sql")

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
ZONE = datetime.timezone.utc
TIMES = [datetime.datetime(2026, 11, day, 12, tzinfo=ZONE) for day in (1, 2, 1, 2, 2)]
ZEROS = [0.0, -0.0, float("nan"), None, -0.0]


@pytest.fixture(scope="module")
def spark() -> Any:
    """A session in a zone of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        session = builder.config("spark.sql.session.timeZone", "Europe/Berlin").getOrCreate()
        yield session
        session.stop()


@pytest.mark.parametrize(
    ("keys", "type_name", "sizes"),
    [(TIMES, "timestamp", [2, 3]), (ZEROS, "double", [1, 1, 3])],
)
def test_a_group_is_one_row(spark: Any, keys: list[Any], type_name: str, sizes: list[int]) -> None:
    """Times with a zone are keys, and zero is one key, as for Spark itself."""
    rows = [(key, 1, number % 2) for number, key in enumerate(keys)]
    frame = spark.createDataFrame(rows, f"key {type_name}, p int, y int").repartition(3)
    states = mm.integrations.States(mm.Accuracy(), predictions="p", labels="y")

    found = mm.integrations.spark_states(frame, states, keys=["key"]).collect()

    metrics = [states.read([bytes(row["state"])]) for row in found]
    assert sorted(metric.compute().samples for metric in metrics) == sizes
    expected = {row["key"] for row in frame.select("key").distinct().collect()}
    assert {repr(row["key"]) for row in found} == {*map(repr, expected)}
