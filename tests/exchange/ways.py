"""Every way in which an evaluation comes to be: a table of who has which number."""

from __future__ import annotations

import copy
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mmeval_like as mm
from mmeval_like._core.evaluation import emptied

RIGHT, HALF = ([1, 1], [1, 1]), ([1, 1], [1, 0])

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Way:
    """Two evaluations of one origin, which are equal but for their samples.

    Attributes:
        make: Returns the origin, of an option `dist_backend`.
        two: Returns two evaluations, whose value is 1.0 and 0.5 on every rank.
        one: Returns one more evaluation that comes to be in this way: a rank makes it for itself;
            None: only all ranks together may make it.
        remembers: Whether what is made of an origin that the ranks computed remembers them.
    """

    make: Callable[..., Any]
    two: Callable[[Any], Pair]
    one: Callable[[Any], Any] | None
    remembers: bool


def in_a_block(evaluation: Any) -> Any:
    """The result of a `with` block."""
    with evaluation.evaluation() as run:
        pass
    return run.result


# How the ranks compute an evaluation together.
COMPUTES: dict[str, Callable[[Any], Any]] = {
    "compute": lambda evaluation: evaluation.compute(),
    "handle": lambda evaluation: evaluation.compute_async().result(),
    "block": in_a_block,
}


def filled(evaluation: Any, batch: Any) -> Any:
    """Return the evaluation after a batch."""
    evaluation.add(*batch)
    return evaluation


def accuracy(dist_backend: Any = None) -> Any:
    """A metric."""
    return mm.Accuracy(dist_backend=dist_backend)


def parts(origin: Any) -> tuple[Any, Any, Any]:
    """Return the origin with one right sample, and two parts that are merged into it."""
    origin.reset()
    others = [type(origin)(dist_backend=origin.dist_backend, name="part") for _ in range(2)]
    for other in others:
        other.name = None
    return filled(origin, ([1], [1])), filled(others[0], ([1], [1])), filled(others[1], ([0], [1]))


def each(how: Callable[[Any], Any]) -> Callable[[Any], Pair]:
    """Return two of what a function makes of an origin without samples; samples come later."""

    def two(origin: Any) -> Pair:
        origin.reset()
        return filled(how(origin), RIGHT), filled(how(origin), HALF)

    return two


def one_by_one(how: Callable[[Any], Any]) -> Callable[[Any], Pair]:
    """Return two of what a function makes of an origin, to which samples are added meanwhile."""

    def two(origin: Any) -> Pair:
        origin.reset()
        first = how(filled(origin, ([1], [1])))
        return first, how(filled(origin, ([0], [1])))

    return two


def joined(how: Callable[[Any, Any], Any]) -> Callable[[Any], Pair]:
    """Return two of what a function makes of an origin and another part."""

    def two(origin: Any) -> Pair:
        first, right, wrong = parts(origin)
        return how(first, right), how(first, wrong)

    return two


def constructed(origin: Any) -> Any:
    """One more metric, in a program that does it on all ranks."""
    return mm.Accuracy(dist_backend=origin.dist_backend)


def pickled(origin: Any) -> Any:
    """What a pickle holds; the backend of a thread cannot be pickled."""
    twin = copy.copy(origin)
    backend, twin.dist_backend = origin.dist_backend, None
    twin._held.occurrence = origin._held.occurrence
    found = pickle.loads(pickle.dumps(twin))
    found.dist_backend = backend
    return found


def from_bytes(origin: Any) -> Any:
    """What the origin makes of its own bytes."""
    return origin.from_bytes(origin.to_bytes())


def from_state(origin: Any) -> Any:
    """A new metric with the samples of a `state_dict`."""
    found = constructed(origin)
    found.load_state_dict(origin.state_dict())
    return found


def from_file(origin: Any) -> Any:
    """A new metric with the samples that this rank saved."""
    found = mm.Accuracy(dist_backend="non_dist")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rank.safetensors"
        path.write_bytes(origin.to_bytes())
        found.load(path)
    merged = constructed(origin)
    merged.merge(found)
    return merged


def collection(dist_backend: Any = None) -> Any:
    """A collection; its members share what they keep."""
    return mm.MetricCollection({"a": mm.Accuracy(), "b": mm.Accuracy()}, dist_backend)


def nested(dist_backend: Any = None) -> Any:
    """A collection in a collection."""
    inner = mm.MetricCollection({"a": mm.Accuracy()})
    return mm.MetricCollection({"in": inner, "b": mm.Accuracy()}, dist_backend)


def of_last(dist_backend: Any = None) -> Any:
    """A collection of what is itself made of a metric."""
    last = mm.Running(mm.Accuracy(), 100)
    return mm.MetricCollection({"last": last}, dist_backend)


def two_members(collected: Any) -> Pair:
    """Members of two names, of which each one is added to by itself."""
    collected.reset()
    return filled(collected["a"], RIGHT), filled(collected["b"], HALF)


def two_sides(pair: Any) -> Pair:
    """Both systems."""
    pair.reset()
    return filled(pair.a, RIGHT), filled(pair.b, HALF)


def wrapped(make: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a function that constructs an evaluation around a metric."""
    return lambda dist_backend=None: make(mm.Accuracy(dist_backend=dist_backend))


def two_called(origin: Any) -> Pair:
    """Metrics that were called with a batch, which counts nowhere."""
    origin.reset()
    origin([0], [1])
    other = constructed(origin)
    other([0], [1])
    return filled(origin, RIGHT), filled(other, HALF)


def two_after_views(collected: Any) -> Pair:
    """Two collections, after both were looked into."""
    collected.reset()
    other = collected.clone()
    _ = collected["a"], other["a"]
    return filled(collected, RIGHT), filled(other, HALF)


def member(name: str) -> Callable[[Any], Any]:
    """Return a function that takes a member of a collection."""
    return lambda collected: collected[name]


WAYS: dict[str, Way] = {
    "constructor": Way(accuracy, each(constructed), None, False),
    "empty copy": Way(accuracy, each(emptied), emptied, False),
    "empty copy of a collection": Way(collection, each(emptied), emptied, False),
    "empty copy of Windowed": Way(
        wrapped(lambda m: mm.Windowed(m, 100)), each(emptied), emptied, False
    ),
    "empty copy of Recorded": Way(wrapped(mm.Recorded), each(emptied), emptied, False),
    "of an empty copy": Way(
        collection, one_by_one(lambda c: emptied(c) + c), lambda c: emptied(c) + c, True
    ),
    "copy.deepcopy": Way(accuracy, each(copy.deepcopy), None, True),
    "clone": Way(collection, each(lambda c: c.clone()), None, False),
    "load_state_dict": Way(accuracy, one_by_one(from_state), None, False),
    "load": Way(accuracy, one_by_one(from_file), None, False),
    "side": Way(wrapped(mm.Paired), two_sides, None, True),
    "called": Way(accuracy, two_called, None, False),
    "looked into": Way(collection, two_after_views, lambda c: c["b"], False),
    "copy.copy": Way(accuracy, each(copy.copy), copy.copy, True),
    "copy.copy with samples": Way(accuracy, one_by_one(copy.copy), copy.copy, True),
    "pickle": Way(accuracy, one_by_one(pickled), pickled, False),
    "+": Way(accuracy, joined(lambda a, b: a + b), lambda a: a + a, True),
    "+ of three": Way(accuracy, joined(lambda a, b: a + b + (a + b)), lambda a: a + a + a, True),
    "sum": Way(accuracy, joined(lambda a, b: sum([b], a)), lambda a: sum([a], a), True),
    "merge": Way(accuracy, joined(lambda a, b: mm.merge([a, b])), lambda a: mm.merge([a]), True),
    "from_bytes": Way(accuracy, one_by_one(from_bytes), from_bytes, False),
    "member": Way(collection, one_by_one(member("a")), member("a"), True),
    "members": Way(collection, two_members, member("a"), True),
    "nested member": Way(nested, one_by_one(member("in.a")), member("in.a"), True),
    "member that is Running": Way(of_last, one_by_one(member("last")), member("last"), True),
    "copy of a member": Way(
        collection, one_by_one(lambda c: copy.copy(c["a"])), lambda c: copy.copy(c["a"]), True
    ),
    "sum of members": Way(
        collection, one_by_one(lambda c: c["a"] + c["a"]), lambda c: c["b"] + c["a"], True
    ),
    "copy of a collection": Way(collection, each(copy.copy), copy.copy, True),
    "copy of Running": Way(
        wrapped(lambda m: mm.Running(m, 100)), one_by_one(copy.copy), copy.copy, True
    ),
    "copy of Windowed": Way(
        wrapped(lambda m: mm.Windowed(m, 100)), one_by_one(copy.copy), copy.copy, True
    ),
    "copy of Recorded": Way(wrapped(mm.Recorded), one_by_one(copy.copy), copy.copy, True),
    "side of a copy": Way(
        wrapped(mm.Paired), each(lambda p: copy.copy(p).a), lambda p: copy.copy(p).a, True
    ),
}
