"""Inputs with an entry for each sample: dicts and sets are refused, since their order is another.

Members of enums of strings are their values, to which they are equal.
"""

import enum
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import dist
from mmeval_like.errors import RemoteError
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import requires

TEXTS = ["a", "b", "c", "d"]
# What is given for four samples, and what the error says of it.
CONTAINERS: dict[str, tuple[Callable[[], Any], str]] = {
    "dict": (lambda: dict.fromkeys(TEXTS, "a"), "got dict; pass a list of its values, in order"),
    "mapping": (lambda: MappingProxyType(dict.fromkeys(TEXTS, "a")), "got mappingproxy; pass a"),
    "set": (lambda: {*TEXTS}, "got set; a set has no order: pass a list"),
    "frozenset": (lambda: frozenset(TEXTS), "got frozenset; a set has no order: pass a list"),
    "generator": (lambda: (text for text in TEXTS), r"got generator; pass list\("),
    "frame": (
        lambda: requires("pandas").DataFrame(np.ones((4, 4)), columns=TEXTS),
        "got DataFrame; pass one of its columns",
    ),
    "no axis": (lambda: np.array("abcd"), r"got an array of <U4 and shape \(\)"),
}


def added(metric: Any, named: dict[str, Any]) -> None:
    """Add four samples, of which one has no score, to a mean by slices."""
    given = {"by": TEXTS, "clusters": TEXTS, "unscored": [None, None, None, "error"]} | named
    metric.add([1.0, 2.0, 4.0, 8.0], **(given | {"by": {"g": given["by"]}}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(
    ("argument", "shown"),
    [("by", r"by\['g'\] must"), ("clusters", "clusters must"), ("unscored", "unscored must")],
)
def test_no_order_is_no_entry_for_each_sample(argument: str, shown: str, container: str) -> None:
    """Nothing of the refused batch counts, and everything before it does."""
    make, text = CONTAINERS[container]
    metric, alone = (mm.Sliced(mm.Mean(unscored="drop", interval=0.9), by="g") for _ in "ab")
    for one in (metric, alone):
        added(one, {})

    with pytest.raises(TypeError, match=f"^{shown} be a list .*{text}"):
        added(metric, {argument: make()})

    assert str(metric.compute()) == str(alone.compute())


REFERENCES = {
    "ANLS": mm.ANLS,
    "BERTScore": mm.BERTScore,
    "BLEU": mm.BLEU,
    "CHRFScore": mm.CHRFScore,
    "CIDEr": mm.CIDEr,
    "ConcatenatedWER": mm.ConcatenatedWER,
    "DropF1": mm.DropF1,
    "EntityF1": mm.EntityF1,
    "ExactMatch": mm.ExactMatch,
    "GoogleBLEU": mm.GoogleBLEU,
    "NIST": mm.NIST,
    "ROUGE": mm.ROUGE,
    "SQuAD": mm.SQuAD,
    "TranslationEditRate": mm.TranslationEditRate,
}
SAMPLES: dict[str, list[Any]] = {
    "BERTScore": [np.eye(2)] * 4,
    "ConcatenatedWER": [[text] for text in TEXTS],
    "EntityF1": [["B-a"]] * 4,
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("side", ["predictions", "references"])
@pytest.mark.parametrize("name", REFERENCES)
def test_texts_and_references_have_the_order_of_the_samples(
    name: str, side: str, container: str
) -> None:
    """A dict of references by id is not compared as its ids."""
    if name in ("ConcatenatedWER", "DropF1"):
        requires("scipy")
    if name in ("ANLS", "ConcatenatedWER", "TranslationEditRate"):
        requires("rapidfuzz")
    make, text = CONTAINERS[container]
    metric = REFERENCES[name]()
    texts = SAMPLES.get(name, TEXTS)
    references = [[one] for one in texts] if name not in SAMPLES else texts
    metric.add(texts, references)
    before = str(metric.compute())

    with pytest.raises(TypeError, match=f"^{side} must be .*{text}"):
        metric.add(**({"predictions": texts, "references": references} | {side: make()}))

    assert str(metric.compute()) == before


def test_answers_of_a_question_are_a_list() -> None:
    """A dict of answers is not read as its keys."""
    requires("scipy")
    with pytest.raises(TypeError, match=r"references\[0\] must be a list of answers, got dict"):
        mm.DropF1()(["yes"], [{"yes": "no"}])
    with pytest.raises(TypeError, match=r"predictions\[0\] must be a list of tags .*, got dict"):
        mm.EntityF1()([{"B-a": 0}], [["B-a"]])


CALLS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "collect_results": ("results", lambda given, b: dist.collect_results(given, 4, "cpu", b)),
    "broadcast_object_list": ("objs", lambda given, b: dist.broadcast_object_list(given, 1, b)),
    "scatter_object": ("objs", lambda given, b: dist.scatter_object(given, 1, b)),
}


@pytest.mark.parametrize("container", ["dict", "mapping", "set", "frozenset"])
@pytest.mark.parametrize("call", CALLS)
def test_objects_of_ranks_have_an_order(call: str, container: str) -> None:
    """The rank that gives another container raises TypeError, the others RemoteError at once."""
    name, send = CALLS[call]
    make, text = CONTAINERS[container]
    world = LocalWorld(3)
    with pytest.raises((TypeError, RemoteError), match=text):
        world.run(lambda b: send(make() if b.rank == 1 else TEXTS[:3], b))
    assert [type(error) for error in world.errors] == [RemoteError, TypeError, RemoteError]
    assert str(world.errors[1]).startswith(f"{name} must be a list")

    alone = mm.get_dist_backend("non_dist")
    with pytest.raises(TypeError, match=f"^{name} must be a list.*{text}"):
        send(make(), alone) if call == "collect_results" else getattr(dist, call)(make(), 0, alone)


def test_results_that_cannot_be_counted_are_refused_on_every_rank() -> None:
    """No rank waits for one whose results are a generator."""
    world = LocalWorld(2)
    with pytest.raises((TypeError, RemoteError), match="has no len"):
        world.run(lambda b: dist.collect_results(iter("ab") if b.rank else "ab", 4, "cpu", b))
    assert {type(error) for error in world.errors} == {RemoteError, TypeError}


@pytest.mark.parametrize("kind", [set, frozenset, lambda parts: dict(enumerate(parts))])
def test_merged_parts_have_an_order(kind: Callable[[Any], Any]) -> None:
    """A set of metrics is merged in no known order; iterators and views of dicts have one."""
    parts = [mm.Cat(), mm.Cat()]
    for number, part in enumerate(parts):
        part.add([float(number)])
    with pytest.raises(TypeError, match="parts must be a list of metrics, got"):
        mm.merge(kind(parts))
    for given in (iter(parts), dict(enumerate(parts)).values()):
        assert mm.merge(given).compute()["values"].tolist() == [0.0, 1.0]


class Animal(str, enum.Enum):
    """Its members are equal to their values, but their `str` is another text."""

    CAT = "cat"
    DOG = "dog"


MEMBERS, VALUES = [Animal.CAT, "cat", Animal.DOG], ["cat", "cat", "dog"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("argument", ["ids", "by", "clusters", "unscored"])
def test_a_member_of_an_enum_is_its_value(argument: str) -> None:
    """It names the same sample, slice, cluster and reason as the string to which it is equal."""
    found = []
    for given in (MEMBERS, VALUES):
        metric = mm.Sliced(mm.Mean(unscored="drop", interval=0.9), by="g")
        named: dict[str, Any] = {
            "by": {"g": VALUES},
            argument: {"g": given} if argument == "by" else given,
        }
        metric.add([1.0, 1.0, 2.0], **named)
        found.append((str(metric.compute()), str(metric.accounts)))
    assert found[0] == found[1]


@pytest.mark.parametrize("where", ["classes", "dataset_meta"])
def test_a_member_of_an_enum_is_the_class_of_its_value(where: str) -> None:
    """In the names of the classes, and in predictions and labels."""
    for names in ([*Animal], ["cat", "dog"]):
        given = {"classes": names}
        metric = mm.Recall(
            task="multiclass", average="none", **(given if where == "classes" else {where: given})
        )
        for predictions, labels in ((MEMBERS, VALUES), (VALUES, MEMBERS)):
            assert str(metric(predictions, labels)) == str(metric(VALUES, VALUES))
