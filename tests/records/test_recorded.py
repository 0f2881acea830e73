"""Recorded: the same samples give the same claim, byte for byte, and others another one."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.records.canonical import canonical
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import requires

N = 60
SCHEMA = Path(mm.__file__).parent / "records" / "schema.json"


def samples(seed: int = 0) -> dict[str, np.ndarray]:
    """Scores, labels, ids and slices."""
    rng = np.random.default_rng(seed)
    return {
        "predictions": rng.dirichlet(np.ones(3), N),
        "labels": rng.integers(0, 3, N),
        "ids": rng.permutation(N),
        "domain": rng.choice(["day", "night"], N),
    }


METRICS: dict[str, Any] = {
    "metric": lambda: mm.Accuracy(topk=(1, 2), interval=0.95),
    "collection": lambda: mm.MetricCollection(a=mm.Accuracy(interval=0.9), loss=mm.LogLoss()),
    "slices": lambda: mm.Sliced({"a": mm.Accuracy(interval=0.95)}, by="domain"),
    "kept samples": lambda: mm.AUROC(task="multiclass", num_classes=3, average=None),
}


def recorded(kind: str, data: dict[str, Any], rank: int, ranks: int, **options: Any) -> mm.Recorded:
    """The samples of one rank, in two batches."""
    metric = mm.Recorded(METRICS[kind](), **options)
    for part in range(2):
        some = {name: one[rank + part * ranks :: 2 * ranks] for name, one in data.items()}
        by = {"domain": some.pop("domain").tolist()}
        metric.add(some.pop("predictions"), **some, **({"by": by} if kind == "slices" else {}))
    return metric


def record_of(kind: str, data: dict[str, Any], ranks: int = 1, **options: Any) -> dict[str, Any]:
    """The record of all ranks, which is one."""

    def run(backend: Any) -> dict[str, Any]:
        metric = recorded(kind, data, backend.rank, ranks, dist_backend=backend)
        metric.compute()
        return metric.record()

    records = LocalWorld(ranks, **options).run(run)
    assert len({canonical(record["claim"]) for record in records}) == 1
    return records[0]


@pytest.mark.parametrize("with_ids", [True, False])
@pytest.mark.parametrize("kind", METRICS)
def test_worlds_do_not_change_a_claim(kind: str, with_ids: bool) -> None:
    """One to five ranks, also of a backend with five members, and another order of the samples."""
    data = samples()
    if not with_ids:
        del data["ids"]
    wanted = record_of(kind, data)
    order = np.random.default_rng(1).permutation(N)

    for ranks in (2, 3, 5):
        assert record_of(kind, data, ranks)["claim"] == wanted["claim"]
    shuffled = {name: one[order] for name, one in data.items()}
    again = record_of(kind, shuffled, 2, members_only=True)
    assert canonical(again["claim"]) == canonical(wanted["claim"])
    assert again["made"]["world"]["ranks"] == 2
    assert mm.verify(wanted, again) == []


@pytest.mark.parametrize("kind", METRICS)
def test_a_record_is_as_its_schema_says(kind: str) -> None:
    """The schema of the package takes it, and refuses what has been added or is missing."""
    jsonschema = requires("jsonschema")
    record = json.loads(canonical(record_of(kind, samples())))
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    validator.check_schema(validator.schema)

    assert [error.message for error in validator.iter_errors(record)] == []
    record["claim"]["more"] = 1
    del record["made"]["time"]
    assert len([*validator.iter_errors(record)]) == 2


def test_values_are_those_of_the_metric() -> None:
    """The numbers of a record are those that `compute` returns, with their intervals."""
    data = samples()
    record = record_of("metric", data)
    metric = mm.Accuracy(topk=(1, 2), interval=0.95)
    result = metric(data["predictions"], data["labels"])
    numbers = record["claim"]["values"]["all"]["Accuracy"]

    assert numbers.keys() == {"top1", "top2"}
    for name, number in numbers.items():
        assert float.fromhex(number["hex"]) == float(number["text"]) == result[name]
        assert float.fromhex(number["low"]) == result[f"{name}_low"]
    assert record["claim"]["samples"]["count"] == N


def test_recording_changes_no_bit() -> None:
    """A metric with a digest returns what it returns without, and needs no more messages."""
    data = samples()
    del data["ids"], data["domain"]

    def run(backend: Any, wrap: Any) -> Any:
        metric = mm.Accuracy(dist_backend=backend)
        metric = wrap(metric) if wrap else metric
        metric.add(**{name: one[backend.rank :: 2] for name, one in data.items()})
        return metric.compute()

    plain, world = LocalWorld(2), LocalWorld(2)
    assert plain.run(lambda b: run(b, None)) == world.run(lambda b: run(b, mm.Recorded))
    assert plain.calls == world.calls


def test_saved_merged_and_subtracted_samples_have_their_record() -> None:
    """Two halves merged, also through a file's form, are the whole; less one, the other."""
    data = samples()
    del data["ids"]
    halves = [recorded("collection", data, half, 2) for half in range(2)]
    halves[0].shard = "one more"
    wanted = record_of("collection", data)["claim"]
    total = mm.Recorded(METRICS["collection"]())
    for half in halves:
        loaded = mm.Recorded(METRICS["collection"]())
        loaded.load_state_dict(half.state_dict())
        total.merge(pickle.loads(pickle.dumps(loaded)))
    total.compute()
    assert total.record()["claim"] == wanted

    total.subtract(halves[1])
    total.compute(), halves[0].compute()
    assert total.record()["claim"] == halves[0].record()["claim"]


def test_shards_add_up() -> None:
    """The digests of shards are in the claim, where all samples are in one of them."""
    data = samples()
    del data["ids"], data["domain"]
    metric = mm.Recorded(mm.Accuracy())
    for name, part in (("a", slice(0, 20)), ("b", slice(20, None))):
        metric.shard = name
        metric.add(**{key: one[part] for key, one in data.items()})
    metric.compute()
    claim = metric.record()["claim"]
    lanes = sum(lanes for _, lanes in metric.shards.values())

    assert [count for count, _ in claim["shards"]] == ["20", "40"]
    assert lanes.astype(">i8").tobytes().hex() == claim["rows"]["digest"]
    metric.shard = None
    metric.add([1], [1])
    metric.compute()
    assert "shards" not in metric.record()["claim"]


@pytest.mark.parametrize("ids", [False, True])
def test_shards_are_those_of_the_result(ids: bool) -> None:
    """Of other rows, though as many, none are in the claim: on no rank, whatever the rank added.

    With ids, each sample comes twice: the digest of what was counted is not that of the shards.
    """

    def run(b: Any) -> list[Any]:
        metric = mm.Recorded(mm.Accuracy(dist_backend=b))
        metric.shard = f"part {b.rank}"
        for turn in range(2):
            named = {"ids": np.arange(4) % 2 + 2 * b.rank + 4 * turn} if ids else {}
            metric.add(np.arange(4) % 2 + turn, [b.rank] * 4, **named)
            if not turn:
                handle = metric.compute_async()  # both ranks have 8 rows, each will have 8
        handle.result()
        others = {"others": (8, np.zeros(2, np.int64))}
        if not ids:
            assert "shards" not in metric.record(shards=others)["claim"]
        return [metric.record()["claim"], metric.shards]

    (first, shards), (second, _) = LocalWorld(2).run(run)
    assert first == second
    assert first["samples"]["count"] == (4 if ids else 8)
    assert [count for count, _ in shards.values()] == [8]
    assert "shards" not in first


def test_a_window_has_no_shards() -> None:
    """Samples leave it, and with them no part of a shard's digest."""
    metric = mm.Windowed(mm.Recorded(mm.Accuracy()), 4, buckets=2)
    metric.plan.inner.shard.name = "file"  # type: ignore[attr-defined]
    for turn in range(3):
        metric.add([turn] * 2, [turn] * 2)
    metric.compute()

    assert "shards" not in metric.record()["claim"]
    assert "shards" not in metric.state_dict()


@pytest.mark.parametrize("with_ids", [True, False])
@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize(("inner", "outer"), [(2, 5), (5, 2), (4, 4), (2, N + 1)])
def test_last_samples_of_a_record_of_last_samples(
    inner: int, outer: int, ranks: int, with_ids: bool
) -> None:
    """The record covers those of the outer Running, and the values are those of the shorter one."""
    rng = np.random.default_rng(0)
    labels, predictions = rng.integers(0, 2, (2, N))

    def run(backend: Any) -> tuple[Any, int]:
        metric = mm.Recorded(mm.Running(mm.Accuracy(), inner))
        last = mm.Running(metric, outer, dist_backend=backend)
        mine = np.arange(backend.rank, N, ranks)
        for places in np.array_split(mine, 3):
            named = {"ids": places} if with_ids else {}
            last.add(predictions[places], labels[places], **named)
        values = last.compute()
        claim = last.plan.inner.record(last._held, None, None, None)["claim"]
        return values, claim["samples"]["count"]

    shorter = min(inner, outer)
    wanted = {"top1": float((predictions == labels)[-shorter:].mean())}
    assert LocalWorld(ranks).run(run) == [(wanted, min(outer, N))] * ranks


def test_what_is_no_record_is_refused() -> None:
    """No metrics, a record before compute, arguments of other lengths, damaged records."""
    with pytest.raises(TypeError, match=r"write Windowed\(Recorded\(metric\), samples\)"):
        mm.Recorded(mm.Windowed(mm.Accuracy(), 10))
    with pytest.raises(TypeError, match="metrics must be a metric"):
        mm.Recorded(3)  # type: ignore[arg-type]
    metric = mm.Recorded(mm.Accuracy())
    with pytest.raises(RuntimeError, match="call compute"):
        metric.record()
    with pytest.raises(ValueError, match="labels must"):
        metric.add([1, 2], labels=[1, 2, 3])
    metric.add([1], [1])
    metric.compute()
    record = metric.record()
    with pytest.raises(ValueError, match="not a record, or damaged"):
        mm.verify({"claim": 3}, record)
    for given, name in ((({}, {}), "record"), ((record, {}), "again"), ((record, "{}"), "again")):
        with pytest.raises(ValueError, match=rf"^{name} is not a record, .* it has no claim"):
            mm.verify(*given)  # type: ignore[arg-type]
    other = json.loads(json.dumps(record))
    other["claim"]["format"] = "mmeval_like-record/99"
    assert [one.part for one in mm.verify(other, record)] == ["format"]


def test_nothing_of_the_machine_is_in_a_record() -> None:
    """No path: of a file that an option names, a record has the name without folders."""
    metric = mm.Recorded(mm.Accuracy(dataset_meta={"roots": ["/home/somebody/boxes.json"]}))
    metric.add([1], [1])
    metric.compute()
    text = canonical(metric.record()).decode()

    assert "somebody" not in text
    assert "['boxes.json']" in text
