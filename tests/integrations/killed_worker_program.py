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

    ray.init(num_cpus=2, include_dashboard=False)  # within the 30 seconds that Ray waits
    table = ray.data.from_pandas(frame).repartition(4)
    return [row["state"] for row in mm.integrations.ray_states(table, states).take_all()]


def of_daft(frame, states):
    """Two workers of Ray."""
    import daft
    import ray

    ray.init(num_cpus=2, include_dashboard=False)  # within the 30 seconds that Ray waits
    daft.set_runner_ray(noop_if_initialized=True)
    table = daft.from_pandas(frame).into_partitions(4)
    state = mm.integrations.daft_states(table, states)
    return table.agg(state).to_pydict()["state"]


def of_dask(frame, states):
    """Two processes, of which one is started again."""
    import dask.dataframe
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        table = dask.dataframe.from_pandas(frame.reset_index(drop=True), npartitions=4)
        return [*mm.integrations.dask_states(table, states).compute()["state"]]


def of_beam(frame, states):
    """Two processes; one of them writes the state, since nothing returns to this one."""
    import apache_beam as beam
    from apache_beam.options.pipeline_options import PipelineOptions

    words = ["--direct_num_workers=2", "--direct_running_mode=multi_processing"]
    written = KILLED.with_name("state")
    with beam.Pipeline(runner="DirectRunner", options=PipelineOptions(words)) as pipeline:
        rows = pipeline | beam.Create(frame.to_dict("records")) | beam.Reshuffle()
        state = rows | beam.CombineGlobally(mm.integrations.BeamStates(states))
        state | beam.Map(written.write_bytes)
    return [written.read_bytes()]


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"p": rng.integers(0, 3, ROWS), "y": rng.integers(0, 3, ROWS)})
    rows = rows.assign(id=range(ROWS))
    twice = pd.concat([rows, rows[:13]])  # as if a task had run twice
    states = Mortal(mm.Accuracy(), predictions="p", labels="y", ids="id")
    engines = {"spark": of_spark, "ray": of_ray, "daft": of_daft, "dask": of_dask, "beam": of_beam}
    column = engines[sys.argv[1]](twice, states)
    print(
        states.read(column).compute() == mm.score(rows, mm.Accuracy(), predictions="p", labels="y")
    )
