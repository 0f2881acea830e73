"""Logs of a second system: the real logs of this folder, whose samples a function has changed."""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like.logs.files import unzipped

FOLDER = Path(__file__).parent
Change = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def lm_eval(target: Path, change: Change, task: str = "yes_no") -> tuple[Path, Path]:
    """The samples of a task of lm-eval, and a changed copy, with the results beside both."""
    (file,) = (FOLDER / "lm_eval").glob(f"samples_{task}_*.jsonl")
    (results,) = (FOLDER / "lm_eval").glob("results_*.json")
    target.mkdir(exist_ok=True)
    shutil.copy(results, target)
    lines = change([json.loads(line) for line in file.read_text().splitlines()])
    (target / file.name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file, target / file.name


def inspect(target: Path, change: Change, name: str = "animals") -> tuple[Path, Path]:
    """A log of Inspect, and a changed copy."""
    file, copy = FOLDER / "inspect" / f"{name}.eval", target / f"{name}.eval"
    target.mkdir(exist_ok=True)
    with unzipped(file) as readers:
        members = {member: read() for member, read in readers.items()}
    places = [member for member in members if member.startswith("samples/")]
    samples = change([members.pop(place) for place in places])
    with zipfile.ZipFile(copy, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, json.dumps(content))
        for number, sample in enumerate(samples):
            archive.writestr(f"samples/{number}_epoch_{sample['epoch']}.json", json.dumps(sample))
    return file, copy


def lighteval(target: Path, change: Change, task: str = "animals-0") -> tuple[Path, Path]:
    """The details of a task of lighteval, and a changed copy, with the results of both."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    target.mkdir(exist_ok=True)
    shutil.copytree(FOLDER / "lighteval", target / "lighteval")
    (file,) = (FOLDER / "lighteval").rglob(f"details_{task}_*.parquet")
    copy = target / file.relative_to(FOLDER)
    table = pq.read_table(file)
    pq.write_table(pa.Table.from_pylist(change(table.to_pylist()), schema=table.schema), copy)
    return file, copy


def helm(target: Path, change: Change) -> tuple[Path, Path]:
    """A run of HELM, and a changed copy with the totals of the first."""
    shutil.copytree(FOLDER / "helm", target / "helm")
    file = target / "helm" / "per_instance_stats.json.gz"
    instances = change(json.loads(gzip.decompress(file.read_bytes())))
    file.write_bytes(gzip.compress(json.dumps(instances).encode()))
    return FOLDER / "helm", target / "helm"


def trainer(target: Path, change: Callable[[dict[str, Any]], Any]) -> tuple[Path, Path]:
    """What the Trainer's predict returned, and a changed copy."""
    file, copy = FOLDER / "trainer" / "classes" / "predictions.npz", target / "predictions.npz"
    target.mkdir(exist_ok=True)
    with np.load(file) as saved:
        arrays = dict(saved)
    change(arrays)
    np.savez(copy, **arrays)
    return file, copy
