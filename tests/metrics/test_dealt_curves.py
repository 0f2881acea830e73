"""Detections that are dealt over the ranks by class: the bits of the path that gathers them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._exchange.dealing import groups
from mmeval_like.metrics.detection import dealt_curves, dealt_images
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.exchange.in_world import errors_of
from tests.helpers import requires
from tests.helpers.dealing import check_failure_is_heard, deal_everything
from tests.metrics import coco_oracle, test_lvis_detection

Columns = tuple[list[Any], ...]
IMAGES = 24


@pytest.fixture(autouse=True)
def _all_are_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of any size are dealt: none fits into a slot."""
    deal_everything(monkeypatch)


def data_of(seed: int, count: int = IMAGES) -> Columns:
    """Images that every metric here takes, with identities in no order; many scores are equal."""
    found, truths = test_lvis_detection.samples(np.random.default_rng(seed), count)
    for place, truth in enumerate(truths):
        truth["ignore_flags"] = np.arange(len(truth["labels"])) % 4 == place % 5
    return found, truths


def bare(data: Columns) -> Columns:
    """The images without identities."""
    return tuple([{k: v for k, v in image.items() if k != "img_id"} for image in c] for c in data)


MAKERS: dict[str, Callable[..., Any]] = {
    "boxes": coco_oracle.make,
    "boxes and proposals": lambda **o: coco_oracle.make(metric=["bbox", "proposal"], **o),
    "few detections": lambda **o: coco_oracle.make(
        proposal_nums=(1, 3), iou_thrs=0.6, metric_items=["mAP", "AR@1", "AR_s@3"], **o
    ),
    "lvis": test_lvis_detection.make,
    "collection": lambda **o: mm.MetricCollection(
        {"coco": coco_oracle.make(), "lvis": test_lvis_detection.make()}, **o
    ),
}


def whole(make: Callable[..., Any], data: Columns) -> Any:
    """What one process computes."""
    metric = make(dist_backend="non_dist")
    metric.add(*data)
    return metric.compute()


def on_ranks(
    make: Callable[..., Any], data: Columns, owner: np.ndarray, ranks: int, **options: Any
) -> tuple[list[Any], LocalWorld]:
    """Compute where every image is on its owner, in this order."""
    world = LocalWorld(ranks)

    def of_rank(backend: Any) -> Any:
        metric = make(dist_backend=backend)
        own = np.flatnonzero(owner == backend.rank)
        if len(own):
            metric.add(*([column[i] for i in own] for column in data))
        return metric.compute(**options)

    return world.run(of_rank), world


def owners(ranks: int, skewed: bool) -> np.ndarray:
    """The rank of each image; skewed: one rank has nearly all, the first none."""
    turn = np.arange(IMAGES) % ranks
    return np.where(np.arange(IMAGES) < IMAGES - 2, ranks - 1, 1 % ranks) if skewed else turn


@pytest.mark.parametrize("name", MAKERS)
def test_dealt_is_gathered(name: str) -> None:
    """Any split, also over more ranks than classes: `==` to one rank, which nobody gathers on."""
    data = data_of(1)
    expected = whole(MAKERS[name], data)
    for ranks, skewed in ((2, False), (3, True), (5, False)):
        found, world = on_ranks(MAKERS[name], data, owners(ranks, skewed), ranks)
        assert all(same(value, expected) for value in found)
        assert world.calls[0]["gather_bytes"] == 0
        assert world.calls[0]["all_to_all_pieces"] > 0


def test_dealt_is_pycocotools() -> None:
    """The twelve numbers and those of classes are the reference's, to 1e-12."""
    requires("pycocotools")
    data = coco_oracle.samples(np.random.default_rng(2), IMAGES)
    [value, *_], world = on_ranks(coco_oracle.make, data, owners(3, False), 3)
    assert world.calls[0]["all_to_all_pieces"] > 0
    for key, number in coco_oracle.oracle("bbox")(*data).items():
        assert value[key] == pytest.approx(number, abs=1e-12, rel=0), key


@pytest.mark.parametrize("mode", ["unzip", "cat"])
@pytest.mark.parametrize("more", [0, 2])
def test_images_without_identity_rank_by_their_place(mode: str, more: int) -> None:
    """Equal scores are in the order of the dataset; what `size=` leaves out does not count."""
    data = bare(data_of(5))  # where another order gives another number
    expected = whole(coco_oracle.make, tuple(c[: IMAGES - more] for c in data))
    owner = np.arange(IMAGES) % 3 if mode == "unzip" else np.arange(IMAGES) * 3 // IMAGES

    def make(**options: Any) -> Any:
        return coco_oracle.make(dist_collect_mode=mode, max_padding=2, **options)

    found, world = on_ranks(make, data, owner, 3, size=IMAGES - more)
    assert all(same(value, expected) for value in found)
    assert world.calls[0]["all_to_all_pieces"] > 0


def test_ground_truths_of_a_file(tmp_path: Path) -> None:
    """Images that no rank added count as well; every class has rank 0's ground truths."""
    found, truths = data_of(4)
    content = coco_oracle.coco(truths)
    path = tmp_path / "truths.json"
    path.write_text(json.dumps(content))

    def make(**options: Any) -> Any:
        return coco_oracle.make(ann_file=str(path), **options)

    expected = whole(make, (found[:-5],))
    values, world = on_ranks(make, (found[:-5],), owners(3, False)[:-5], 3)
    assert all(same(value, expected) for value in values)
    assert world.calls[0]["all_to_all_pieces"] > 0


@pytest.mark.parametrize("differing", [False, True])
def test_an_image_that_came_more_than_once_counts_once(differing: bool) -> None:
    """On one rank or on several: the first copy counts, and one warning says if others differ."""
    found, truths = data_of(5)
    again = [3, 3, 7, 8, 20]
    extra = [dict(found[i]) for i in again]
    if differing:
        for image in extra[:3]:  # two copies of one image, and one of another
            image |= {"bboxes": np.zeros((1, 4)), "scores": np.ones(1), "labels": np.zeros(1, int)}
    data = (found + extra, truths + [truths[i] for i in again])
    with warnings.catch_warnings(record=True) as alone:
        warnings.simplefilter("always")
        expected = whole(coco_oracle.make, data)
    for owner in (np.arange(IMAGES + 5) % 2, np.arange(IMAGES + 5) % 4):
        with warnings.catch_warnings(record=True) as dealt:
            warnings.simplefilter("always")
            values, world = on_ranks(coco_oracle.make, data, owner, int(owner.max()) + 1)
        assert all(same(value, expected) for value in values)
        assert [str(w.message) for w in dealt] == [str(w.message) for w in alone]
        assert world.calls[0]["gather_bytes"] == 0
    assert expected == whole(coco_oracle.make, (found, truths))
    assert [str(w.message)[:8] for w in alone] == (["2 images"] if differing else [])


def test_some_images_without_identity_are_an_error_everywhere() -> None:
    """Rank 0 has identities, rank 1 has none: neither is ranked by guess."""
    found, truths = data_of(6)
    data = [
        [a if i % 2 else b for i, (a, b) in enumerate(zip(*sides, strict=True))]
        for sides in zip(bare((found, truths)), (found, truths), strict=True)
    ]

    def of_rank(backend: Any) -> Any:
        metric = coco_oracle.make(dist_backend=backend)
        metric.add(*(column[backend.rank :: 2] for column in data))
        return metric.compute()

    for error in errors_of(LocalWorld(2), of_rank):
        assert isinstance(error, ValueError)
        assert "either all images have an img_id" in str(error)


class Counting(mm.COCODetection):
    """A metric of a user's own, which looks at the rows."""

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Return how many images there are as well."""
        return super().compute_metric(results) | {"images": len(results.image)}


class Everywhere(mm.COCODetection):
    """A metric of a user's own, which every rank computes: the curves are on rank 0 alone."""

    every_rank_computes = True
    asks = mm.COCODetection.asks


def one_class(**options: Any) -> Any:
    """Proposals, which are all of one class."""
    return coco_oracle.make(metric="proposal", **options)


@pytest.mark.parametrize("kind", ["ids", "interval", "file", "one class", "subclass", "on all"])
def test_what_needs_all_rows_gathers_them(kind: str, tmp_path: Path) -> None:
    """Ids, intervals, result files, one class alone, and subclasses that look at more."""
    data = data_of(7)
    prefix = str(tmp_path / "found")
    make: Callable[..., Any] = {
        "ids": coco_oracle.make,
        "interval": lambda **o: coco_oracle.make(interval=0.9, metric_items=["mAP"], **o),
        "file": lambda **o: coco_oracle.make(outfile_prefix=prefix, **o),
        "one class": one_class,
        "on all": lambda **o: Everywhere(dataset_meta=coco_oracle.META, print_results=False, **o),
        "subclass": lambda **o: Counting(dataset_meta=coco_oracle.META, print_results=False, **o),
    }[kind]
    world = LocalWorld(2)

    def of_rank(backend: Any) -> Any:
        metric, own = make(dist_backend=backend), range(backend.rank, IMAGES, 2)
        metric.add(
            *([column[i] for i in own] for column in data),
            **({"ids": [*own]} if kind == "ids" else {}),
        )
        return metric.compute()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of intervals that rest on few images
        assert same(world.run(of_rank)[1], whole(make, data))
    assert world.calls[0]["all_to_all_pieces"] == 0


def test_the_table_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    """By rank 0, and it is the table of one process."""
    data = data_of(8)

    def make(**options: Any) -> Any:
        return coco_oracle.make(print_results=True, **options)

    whole(make, data)
    alone = capsys.readouterr().out
    _, world = on_ranks(make, data, owners(2, False), 2)
    assert capsys.readouterr().out == alone
    assert world.calls[0]["all_to_all_pieces"] > 0


def test_classes_are_dealt_evenly() -> None:
    """No rank has more than the mean and the largest class; each class is on one rank."""
    rng = np.random.default_rng(9)
    for ranks in (1, 2, 7, 300):
        counts = rng.integers(0, 1000, 80) ** 2
        of_each = [
            groups.Grouped([counts], SimpleNamespace(rank=rank, size=ranks)).mine[0]  # type: ignore[arg-type]
            for rank in range(ranks)
        ]
        load = np.array([counts[own].sum() for own in of_each])
        assert sorted(np.concatenate(of_each)) == [*range(80)]
        assert load.max() <= load.mean() + counts.max() + 80


# Where each step of a rank's own work can break: what is replaced there.
STEPS: dict[str, tuple[Any, str]] = {
    "read": (dealt_images, "Results"),
    "scattered": (groups, "_scattered"),
    "met": (np, "unique"),
    "copies": (dealt_images, "_digests"),
    "chosen": (dealt_images, "_first_copies"),
    "counted": (dealt_curves, "_counts"),
    "split": (dealt_curves._Share, "detections"),
    "sorted": (dealt_curves, "sorted_matches"),
    "evaluated": (dealt_curves, "curves_of"),
    "joined": (dealt_curves._Share, "joined"),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_rank_that_fails_in_any_step_is_heard(step: str) -> None:
    """Every rank raises at once, nothing is lost, and the next compute is right."""
    data = data_of(10)

    def construct(backend: Any) -> Any:
        metric = coco_oracle.make(dist_backend=backend)
        metric.add(*(column[backend.rank :: 3] for column in data))
        if backend.rank:  # some images come twice
            metric.add(*(column[:4] for column in data))
        return metric

    broken_rank = 0 if step == "joined" else 1  # which rank 0 alone does
    found = check_failure_is_heard(STEPS[step], construct, broken_rank)
    assert found == [whole(coco_oracle.make, data)] * 3
