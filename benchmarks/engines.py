"""One table on each engine, with two workers: weighted F1 of ten classes.

    python -m benchmarks.engines --rows 100000000 --write
    .venvs/nox/py312/bin/python -m benchmarks.engines --rows 100000000 --write --only beam

The ways are our states; the engine's own count of rows by label and prediction, from which numpy
computes the value; and Spark's own evaluator. They read the same Parquet files of two columns of
bytes, take turns, and have run once on few rows. The value of the states is compared with `==` with
that of one process. The memory is the peak of the driver's process while the call ran, less what it
had before.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import mmeval_like as mm
from benchmarks.memory import memory_mib

__all__ = ["ENGINES"]

_PAGE = Path(__file__).parents[1] / "docs" / "engines.md"
_CLASSES = 10
_ROW_GROUP = 1_000_000
_METRIC = mm.FBetaScore(average="weighted", task="multiclass", num_classes=_CLASSES)
_STATES = mm.integrations.States(_METRIC, predictions="p", labels="y")
_Ways = dict[str, Callable[[Path], Any]]


def write(folder: Path, rows: int, files: int = 8) -> None:
    """Write the table: the model is right in four of five rows."""
    rng = np.random.default_rng(0)
    for file in range(files):
        count = (file + 1) * rows // files - file * rows // files
        labels = rng.integers(0, _CLASSES, count, np.int8)
        guesses = np.where(
            rng.random(count, np.float32) < 0.8, labels, rng.integers(0, _CLASSES, count, np.int8)
        )
        table = pa.table({"p": guesses, "y": labels})
        pq.write_table(table, folder / f"{file}.parquet", row_group_size=_ROW_GROUP)


def one_process(folder: Path) -> Any:
    """Return the value of all rows, added in this process."""
    metric = mm.FBetaScore(average="weighted", task="multiclass", num_classes=_CLASSES)
    for file in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(file).iter_batches(_ROW_GROUP):
            metric.add(*(column.to_numpy() for column in batch.columns))
    return metric.compute()


def f1_by_hand(counts: Iterator[tuple[int, int, int]]) -> float:
    """Return weighted F1 of counts of (label, prediction)."""
    matrix = np.zeros((_CLASSES, _CLASSES))
    for label, guess, count in counts:
        matrix[label, guess] = count
    scores = 2 * np.diag(matrix) / (matrix.sum(0) + matrix.sum(1))
    return float(np.average(scores, weights=matrix.sum(1)))


@contextmanager
def spark() -> Iterator[_Ways]:
    """Two threads of the JVM, and two Python workers."""
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = SparkSession.builder.master("local[2]").getOrCreate()

    def states(folder: Path) -> Any:
        table = session.read.parquet(str(folder))
        rows = mm.integrations.spark_states(table, _STATES).collect()
        return [bytes(row["state"]) for row in rows]

    def by_hand(folder: Path) -> float:
        table = session.read.parquet(str(folder))
        return f1_by_hand(tuple(row) for row in table.groupBy("y", "p").count().collect())

    def evaluator(folder: Path) -> Any:
        table = session.read.parquet(str(folder))
        columns = [table[name].cast("double").alias(name) for name in ("p", "y")]
        judge = MulticlassClassificationEvaluator(metricName="f1", predictionCol="p", labelCol="y")
        return judge.evaluate(table.select(columns))

    yield {"states": states, "by hand": by_hand, "evaluator": evaluator}
    session.stop()


@contextmanager
def ray() -> Iterator[_Ways]:
    """Two workers."""
    import ray

    ray.init(num_cpus=2, log_to_driver=False)

    def states(folder: Path) -> Any:
        table = ray.data.read_parquet(str(folder))
        return [row["state"] for row in mm.integrations.ray_states(table, _STATES).take_all()]

    def by_hand(folder: Path) -> float:
        rows = ray.data.read_parquet(str(folder)).groupby(["y", "p"]).count().take_all()
        return f1_by_hand((row["y"], row["p"], row["count()"]) for row in rows)

    yield {"states": states, "by hand": by_hand}
    ray.shutdown()


@contextmanager
def daft() -> Iterator[_Ways]:
    """Threads of this process."""
    import daft

    def states(folder: Path) -> Any:
        table = daft.read_parquet(f"{folder}/*.parquet")
        return table.agg(mm.integrations.daft_states(table, _STATES)).to_pydict()["state"]

    def by_hand(folder: Path) -> float:
        table = daft.read_parquet(f"{folder}/*.parquet")
        rows = table.groupby("y", "p").agg(daft.col("y").count().alias("n")).to_pylist()
        return f1_by_hand((row["y"], row["p"], row["n"]) for row in rows)

    yield {"states": states, "by hand": by_hand}


@contextmanager
def dask() -> Iterator[_Ways]:
    """Two processes."""
    import dask.dataframe as frames

    with_two = {"scheduler": "processes", "num_workers": 2}

    def states(folder: Path) -> Any:
        table = frames.read_parquet(str(folder))
        return [*mm.integrations.dask_states(table, _STATES).compute(**with_two)["state"]]

    def by_hand(folder: Path) -> float:
        table = frames.read_parquet(str(folder))
        counts = table.groupby(["y", "p"]).size().compute(**with_two)
        return f1_by_hand((*key, count) for key, count in counts.items())

    yield {"states": states, "by hand": by_hand}


@contextmanager
def beam() -> Iterator[_Ways]:
    """Two processes, which write what they found; Beam needs an environment of its own."""
    import apache_beam as beam
    from apache_beam.io import ReadFromParquetBatched
    from apache_beam.options.pipeline_options import PipelineOptions

    words = ["--direct_num_workers=2", "--direct_running_mode=multi_processing"]

    def run(folder: Path, combined: Any) -> list[bytes]:
        with tempfile.TemporaryDirectory() as name:
            with beam.Pipeline("DirectRunner", PipelineOptions(words)) as pipeline:
                found = pipeline | ReadFromParquetBatched(f"{folder}/*.parquet") | combined
                found | beam.Map(lambda one: Path(name, str(uuid.uuid4())).write_bytes(one))
            return [file.read_bytes() for file in Path(name).iterdir()]

    def states(folder: Path) -> Any:
        return run(folder, beam.CombineGlobally(mm.integrations.BeamStates(_STATES)))

    def of_block(block: pa.Table) -> Iterator[tuple[tuple[int, int], int]]:
        for row in block.group_by(["y", "p"]).aggregate([([], "count_all")]).to_pylist():
            yield (row["y"], row["p"]), row["count_all"]

    def by_hand(folder: Path) -> float:
        counts = beam.FlatMap(of_block) | beam.CombinePerKey(sum)
        texts = counts | beam.Map(lambda one: json.dumps([*one[0], one[1]]).encode())
        return f1_by_hand(tuple(json.loads(text)) for text in run(folder, texts))

    yield {"states": states, "by hand": by_hand}


ENGINES = {"daft": daft, "ray": ray, "dask": dask, "spark": spark, "beam": beam}


def measure(engine: str, folder: Path, rounds: int) -> dict[str, Any]:
    """Return times, memory, bytes and whether the bits are those of one process."""
    times, peaks, values = defaultdict(list), defaultdict(list), {}
    with ENGINES[engine]() as ways, tempfile.TemporaryDirectory() as little:
        write(Path(little), 1000, files=1)
        for way in ways.values():
            way(Path(little))  # imports what it needs
        for _ in range(rounds):
            for name, way in ways.items():
                before = memory_mib(peak=False)
                started = time.perf_counter()
                values[name] = way(folder)
                times[name].append(time.perf_counter() - started)
                peaks[name].append(memory_mib(peak=True) - before)
    column = values.pop("states")
    single = one_process(folder)
    [value] = single.values()
    return {
        "engine": engine,
        "seconds": {name: round(min(some), 2) for name, some in times.items()},
        "memory_mib": {name: round(max(some), 1) for name, some in peaks.items()},
        "bytes": len(column[0]),
        "same_bits": _STATES.read(column).compute() == single,
        "differences": {name: found - value for name, found in values.items()},
    }


def table(found: Sequence[dict[str, Any]], rows: int) -> str:
    """Return what the page says."""
    lines = [
        f"Weighted F1 of {_CLASSES} classes, {rows:,} rows of Parquet, two workers on two cores:",
        "",
        "| engine | way | seconds | more memory of the driver, MiB | value |",
        "|---|---|---|---|---|",
    ]
    for one in found:
        for way, seconds in one["seconds"].items():
            differs = one["differences"].get(way)
            value = "the bits of one process" if one["same_bits"] else "**other bits**"
            if differs is not None:
                value = f"differs by {abs(differs):.0e}" if differs else "the same number"
            memory = one["memory_mib"][way]
            lines.append(f"| {one['engine']} | {way} | {seconds:.1f} | {memory:.0f} | {value} |")
    return "\n".join(lines)


def main() -> None:
    """Write the table once, and measure every engine in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=2)
    engines = [engine for engine in ENGINES if engine != "beam"]
    parser.add_argument("--only", nargs="*", default=engines, choices=ENGINES)
    parser.add_argument("--write", action="store_true", help="write the page's table")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)  # to measure one engine
    options = parser.parse_args()
    if options.folder:
        print(json.dumps(measure(options.only[0], options.folder, options.rounds)), flush=True)
        return
    found = []
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), options.rows)
        for engine in options.only:
            words = ["--folder", name, "--rounds", str(options.rounds), "--only", engine]
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.engines", *words],
                check=True, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            found.append(json.loads(done.stdout.splitlines()[-1]))
            print(found[-1], flush=True)
    text = table(found, options.rows)
    print(text)
    if options.write:
        before, begin, rest = _PAGE.read_text().partition("<!-- measured: ")
        command, _, page = rest.partition(" -->\n")
        old, end, after = page.partition("<!-- end -->")
        head, *rest = text.splitlines()
        if old.startswith(head):  # other engines stay
            rows = [line for line in old.splitlines()[4:] if line.split()[1] not in options.only]
            rows = sorted([*rows, *rest[3:]], key=lambda row: [*ENGINES].index(row.split()[1]))
            text = "\n".join([head, *rest[:3], *rows])
        _PAGE.write_text(f"{before}{begin}{command} -->\n{text}\n{end}{after}")


if __name__ == "__main__":
    main()
