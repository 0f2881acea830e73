"""An engine counts rows while one of its workers is killed: KILLED=FILE python ... ENGINE."""

import os
import signal
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import mmeval_like as mm

KILLED = Path(os.environ.get("KILLED", ""))  # exists once a worker was killed
ROWS = 40


class Mortal(mm.integrations.States):
    """The worker that first counts the row 7 is killed when it is done."""

    def of(self, table):
        """Return the state of a block."""
        state = super().of(table)
        if 7 in np.asarray(table["id"]) and not KILLED.exists():
            KILLED.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return state


def of_spark(frame, states):
    """Two workers, which may fail three times."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[2, 4]").getOrCreate()
    table = spark.createDataFrame(frame).repartition(4)
    column = [bytes(row["state"]) for row in mm.integrations.spark_states(table, states).collect()]
    spark.stop()
    return column


def of_ray(frame, states):
    """Two workers."""
    import ray

    ray.init(num_cpus=2)
    table = ray.data.from_pandas(frame).repartition(4)
    return [row["state"] for row in mm.integrations.ray_states(table, states).take_all()]


def of_daft(frame, states):
    """Two workers of Ray."""
    import daft
    import ray

    ray.init(num_cpus=2)
    daft.set_runner_ray(noop_if_initialized=True)
    table = daft.from_pandas(frame).into_partitions(4)
    state = mm.integrations.daft_states(table, states)
    return table.agg(state).to_pydict()["state"]


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"p": rng.integers(0, 3, ROWS), "y": rng.integers(0, 3, ROWS)})
    rows = rows.assign(id=range(ROWS))
    twice = pd.concat([rows, rows[:13]])  # as if a task had run twice
    states = Mortal(mm.Accuracy(), predictions="p", labels="y", ids="id")
    column = {"spark": of_spark, "ray": of_ray, "daft": of_daft}[sys.argv[1]](twice, states)
    print(
        states.read(column).compute() == mm.score(rows, mm.Accuracy(), predictions="p", labels="y")
    )
