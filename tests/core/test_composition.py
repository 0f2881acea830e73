"""What stands around what: every pair works in full, or is refused in words that name an order."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.helpers.optional import requires

# The ranks are threads here, where warnings that one thread ignores are seen by the others.
pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

COUNT, WINDOW, BUCKETS, LAST = 22, 8, 4, 5
RNG = np.random.default_rng(3)
LABELS = RNG.integers(0, 3, COUNT)
SYSTEMS = [np.where(RNG.random(COUNT) < 0.6, LABELS, RNG.integers(0, 3, COUNT)) for _ in range(2)]
COLUMNS = {
    "x": ["abcd"[n] for n in RNG.integers(0, 3, COUNT)],
    "y": ["kl"[n % 2] for n in range(COUNT)],
}

OUTER = ("Collection", "Sliced", "Paired", "Windowed", "Running", "Recorded")
INNER = ("metric", *OUTER)

# Pairs that can have no meaning, or only in another order: what the error says.
REFUSED: dict[tuple[str, str], str] = {
    ("Collection", "Paired"): r"'outer' compares two systems.*Paired\(MetricCollection\(",
    ("Paired", "Paired"): r"Paired compares two systems by .*not two pairs",
    ("Windowed", "Paired"): r"Paired\(Running\(metric, n\)\)",
    ("Running", "Paired"): r"Paired\(Running\(metric, n\)\)",
    ("Sliced", "Windowed"): r"Windowed\(Sliced\(metric, by=\.\.\.\), samples\)",
    ("Paired", "Windowed"): r"Paired\(Running\(metric, n\)\)",
    ("Running", "Windowed"): r"Running and Windowed .*one of them",
    ("Windowed", "Windowed"): r"Windowed\(metric, samples\) once",
    ("Sliced", "Paired"): r"Paired\(Sliced\(metric, by=\.\.\.\)\)",
    ("Recorded", "Paired"): r"Paired\(Recorded\(metric\)\)",
    ("Recorded", "Windowed"): r"Windowed\(Recorded\(metric\), samples\)",
    ("Sliced", "Recorded"): r"Recorded\(Sliced\(metric, by=\.\.\.\)\)",
}

PAIRS = [(o, i) for o in OUTER for i in INNER if (o, i) not in REFUSED]
# Those of which a record can be had from outside.
WITH_RECORD = [(o, i) for o, i in PAIRS if o == "Recorded" or (o, i) == ("Windowed", "Recorded")]


def checked(pairs: Sequence[tuple[str, str]] = PAIRS) -> pytest.MarkDecorator:
    """Parametrise a test by pairs that work."""
    ids = [f"{outer}({inner})" for outer, inner in pairs]
    return pytest.mark.parametrize(("outer", "inner"), pairs, ids=ids)


# How they are built ---------------------------------------------------------------------------


def around(name: str, inner: Any, place: str, backend: Any = None) -> Any:
    """Return what stands around something: the outer one has a backend, a name and a column."""
    named = {} if backend is None else {"dist_backend": backend}
    column = "y" if place == "outer" else "x"
    made: dict[str, Callable[[], Any]] = {
        "Collection": lambda: mm.MetricCollection({place: inner, "all": plain()}, **named),
        "Sliced": lambda: mm.Sliced(inner, by=column, **named),
        "Paired": lambda: mm.Paired(inner, **named),
        "Windowed": lambda: mm.Windowed(inner, WINDOW, BUCKETS, **named),
        "Running": lambda: mm.Running(inner, LAST, **named),
        "Recorded": lambda: mm.Recorded(inner, **named),
    }
    return made[name]()


def plain(interval: float | None = None) -> Any:
    """Return the metric in the middle."""
    return mm.Accuracy(interval=interval)


def build(outer: str, inner: str, backend: Any = "non_dist", interval: float | None = None) -> Any:
    """Return a pair around the metric, without samples."""
    middle = plain(interval)
    if inner != "metric":
        middle = around(inner, middle, "inner")
    return around(outer, middle, "outer", backend)


def add(one: Any, outer: str, inner: str, places: Sequence[int]) -> Any:
    """Return it after it got the samples of these places, in batches of three."""
    names = (outer, inner)
    columns = [name for name, at in (("y", outer), ("x", inner)) if at == "Sliced"]
    with_ids = "Paired" in names or ("Recorded" in names and "Windowed" not in names)
    for start in range(0, len(places), 3):
        batch = np.asarray(places[start : start + 3])
        named: dict[str, Any] = {"ids": batch} if with_ids else {}
        if columns:
            named["by"] = {name: [COLUMNS[name][place] for place in batch] for name in columns}
        sides = [one.a, one.b] if "Paired" in names else [one]
        for side, predictions in zip(sides, SYSTEMS, strict=False):
            side.add(predictions[batch], LABELS[batch], **named)
    return one


def filled(outer: str, inner: str, interval: float | None = None) -> Any:
    """Return a pair with all samples, in one process."""
    return add(build(outer, inner, interval=interval), outer, inner, range(COUNT))


# What they shall say: the metric alone of the samples alone -----------------------------------


def expected(outer: str, inner: str, shards: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Return what a pair says of samples, where every shard is a stream of its own."""
    leaf = of_two if "Paired" in (outer, inner) else of_one
    found: dict[str, Any] = _expected([(outer, "outer"), (inner, "inner")], shards, leaf)
    return found


def _expected(
    names: Sequence[tuple[str, str]],
    shards: Sequence[Sequence[int]],
    leaf: Callable[[Sequence[int]], dict[str, Any]],
) -> dict[str, Any]:
    places = sorted(place for shard in shards for place in shard)
    if not names or names[0][0] == "metric":
        return leaf(places)
    (name, place), *others = names

    def within(which: Sequence[Sequence[int]]) -> dict[str, Any]:
        return _expected(others, which, leaf)

    if name == "Collection":
        members = within(shards)
        if others and others[0][0] == "Collection":  # whose members are taken in one by one
            return {f"{place}.{key}": value for key, value in members.items()} | {
                "all": leaf(places)
            }
        return {place: members, "all": leaf(places)}
    if name == "Sliced":
        column = "y" if place == "outer" else "x"
        of_values = {}
        for value in sorted({COLUMNS[column][one] for one in places}):
            here = [[one for one in shard if COLUMNS[column][one] == value] for shard in shards]
            of_values[f"{column}={value}"] = within(here)
        return {"all": within(shards), **of_values}
    if name == "Windowed":
        return within([window(shard) for shard in shards])
    if name == "Running":
        kept = set(places[-LAST:])
        return within([[one for one in shard if one in kept] for shard in shards])
    return within(shards)  # Paired and Recorded say it of the same samples


def window(shard: Sequence[int]) -> Sequence[int]:
    """Return the samples of a stream's window: whole buckets, and the one that fills."""
    bucket = WINDOW // BUCKETS
    filling = (len(shard) - 1) % bucket + 1
    return shard[-(WINDOW - bucket + filling) :]


def of_one(places: Sequence[int]) -> dict[str, Any]:
    """Return what the metric says of the first system."""
    which = np.asarray(places)
    return dict(mm.Accuracy(dist_backend="non_dist")(SYSTEMS[0][which], LABELS[which]))


def of_two(places: Sequence[int]) -> dict[str, Any]:
    """Return what a pair of the metric says."""
    pair = mm.Paired(plain(), dist_backend="non_dist")
    return dict(add(pair, "Paired", "metric", places).compute())


def without_adjusted(values: Any) -> Any:
    """Return values without those that depend on all slices together."""
    if not isinstance(values, Mapping):
        return values
    return {k: without_adjusted(v) for k, v in values.items() if not k.endswith("_adjusted")}


def check(outer: str, inner: str, found: Any, shards: Sequence[Sequence[int]]) -> None:
    """Compare what was computed with what the metric says of the samples alone."""
    wanted = expected(outer, inner, shards)
    assert same(without_adjusted(found), wanted), f"{found!r}\nis not {wanted!r}"


WHOLE = [range(COUNT)]
HALVES = [range(COUNT // 2), range(COUNT // 2, COUNT)]
DEALT = [range(0, COUNT, 2), range(1, COUNT, 2)]


# The laws -------------------------------------------------------------------------------------


def test_the_table_has_every_pair() -> None:
    """A pair works, or is refused; at most twelve of 42 are."""
    assert {*REFUSED} <= {(outer, inner) for outer in OUTER for inner in INNER}
    assert len(PAIRS) >= 30


@pytest.mark.parametrize(("outer", "inner"), [*REFUSED])
def test_what_has_no_meaning_is_refused_when_it_is_constructed(outer: str, inner: str) -> None:
    """The error is a TypeError, and says which order has a meaning."""
    middle = around(inner, plain(), "inner")

    with pytest.raises(TypeError, match=re.compile(REFUSED[outer, inner], re.DOTALL)):
        around(outer, middle, "outer")


@checked()
def test_a_result_is_that_of_the_metric_alone(outer: str, inner: str) -> None:
    """Every number is the one that the metric gives of these samples alone, and stays so."""
    one = filled(outer, inner)

    check(outer, inner, one.compute(), WHOLE)
    check(outer, inner, one.compute(), WHOLE)
    check(outer, inner, one.compute_local(), WHOLE)


@checked()
def test_ranks_share_the_samples(outer: str, inner: str) -> None:
    """Two ranks, and two with a backend of five members, say what one process says."""
    for members_only in (False, True):
        results = LocalWorld(2, members_only=members_only).run(
            lambda backend: add(
                build(outer, inner, backend), outer, inner, DEALT[backend.rank]
            ).compute()
        )
        for found in results:
            check(outer, inner, found, DEALT)


@checked()
def test_it_is_computed_in_the_background(outer: str, inner: str) -> None:
    """On one rank and on two, of the samples at the call; what follows is another matter."""

    def evaluate(backend: Any, places: Sequence[int]) -> tuple[Any, Any]:
        one = add(build(outer, inner, backend), outer, inner, places)
        handle = one.compute_async()
        one.reset()
        add(one, outer, inner, places)
        return handle.result(), one.compute()

    check(outer, inner, evaluate("non_dist", range(COUNT))[0], WHOLE)
    for found in LocalWorld(2).run(lambda backend: evaluate(backend, DEALT[backend.rank])):
        for result in found:
            check(outer, inner, result, DEALT)


@checked()
def test_it_is_saved_and_loaded(tmp_path: Path, outer: str, inner: str) -> None:
    """By files, bytes and a state_dict; a damaged file changes nothing."""
    one, loaded, other = (build(outer, inner) for _ in range(3))
    add(one, outer, inner, range(COUNT))
    one.save(tmp_path / "samples")
    loaded.load([tmp_path / "samples"])
    other.load_state_dict(one.state_dict())

    for found in (loaded, other, build(outer, inner).from_bytes(one.to_bytes())):
        check(outer, inner, found.compute(), WHOLE)
    with pytest.raises(ValueError):
        other.from_bytes(one.to_bytes()[:-1])


@checked()
def test_samples_are_merged(outer: str, inner: str) -> None:
    """Two instances add up, and stay as they are; other options are refused."""
    first, second = (add(build(outer, inner), outer, inner, half) for half in HALVES)

    check(outer, inner, mm.merge([first, second]).compute(), HALVES)
    check(outer, inner, (first + second).compute(), HALVES)
    for one, half in ((first, HALVES[0]), (second, HALVES[1])):
        check(outer, inner, one.compute(), [half])
    first.merge(second)
    if outer == "Collection" and inner == "Windowed":  # the other member has all samples
        one = [window(HALVES[0])[WINDOW // BUCKETS :], HALVES[1]]
        windowed, every = (expected(outer, inner, shards) for shards in (one, HALVES))
        assert first.compute() == {"outer": windowed["outer"], "all": every["all"]}
    elif "Windowed" in (outer, inner):  # its samples are one bucket more, and the oldest is gone
        check(outer, inner, first.compute(), [window(HALVES[0])[WINDOW // BUCKETS :], HALVES[1]])
    else:
        check(outer, inner, first.compute(), HALVES)
    with pytest.raises(ValueError, match="only equal metrics merge"):
        first.merge(mm.CohenKappa(3))


@checked()
def test_it_is_pickled_and_reset(outer: str, inner: str) -> None:
    """A pickle has the samples, and may add others; a reset forgets them."""
    one = add(build(outer, inner), outer, inner, range(COUNT - 5))
    other = pickle.loads(pickle.dumps(one))
    add(other, outer, inner, range(COUNT - 5, COUNT))

    check(outer, inner, other.compute(), WHOLE)
    other.reset()
    check(outer, inner, add(other, outer, inner, HALVES[1]).compute(), [HALVES[1]])
    check(outer, inner, one.compute(), [range(COUNT - 5)])


@checked()
def test_it_is_computed_by_leaving_a_block(outer: str, inner: str) -> None:
    """An evaluation block has the result; one that fails tells the other ranks."""
    one = build(outer, inner)
    with one.evaluation() as run:
        add(one, outer, inner, range(COUNT))
    check(outer, inner, run.result, WHOLE)

    def evaluate(backend: Any) -> Any:
        metric = build(outer, inner, backend)
        with metric.evaluation():
            add(metric, outer, inner, DEALT[backend.rank])
            if backend.rank:
                raise KeyError("this rank fails")

    world = LocalWorld(2)
    with pytest.raises(mm.errors.RemoteError, match="this rank fails"):
        world.run(evaluate)
    assert [type(error) for error in world.errors] == [mm.errors.RemoteError, KeyError]


@checked()
def test_it_is_drawn(outer: str, inner: str) -> None:
    """The picture has axes, and words."""
    requires("matplotlib").use("agg")
    plt = requires("matplotlib.pyplot")
    figure = filled(outer, inner).plot()

    assert figure.axes
    words = mm.plots.alternative(figure)
    # The single value of slices is called by its metric, or by the member of the collection.
    assert any(name in words for name in ("top1", "Accuracy by", "inner by", "outer by"))
    plt.close(figure)


@checked()
def test_it_has_a_page(tmp_path: Path, outer: str, inner: str) -> None:
    """The page of a report has the numbers and their intervals."""
    requires("jinja2")
    requires("matplotlib").use("agg")
    path = tmp_path / "page.html"
    one = filled(outer, inner, interval=0.9)
    mm.report(one, path)

    text = path.read_text(encoding="utf-8")
    assert re.search(r"\d\.\d%", text)
    assert f"about {95 if 'Paired' in (outer, inner) else 90} contain" in text


@checked()
def test_a_gate_judges_it(outer: str, inner: str) -> None:
    """A gate judges every number that has an interval, the whole and the slices."""
    one = filled(outer, inner, interval=0.95)
    one.compute()
    names = (outer, inner)
    key = "top1"
    for name, place in ((inner, "inner"), (outer, "outer")):
        key = f"{place}.{key}" if name == "Collection" else key
    bound = {"margin": 0.99} if "Paired" in names else {"at_least": 0.0}
    verdict = mm.gate(one, key, **bound)

    assert verdict.interval.low >= verdict.bound
    assert bool(verdict.slices) == ("Sliced" in names)


@checked()
def test_it_is_shown(outer: str, inner: str) -> None:
    """In a terminal and in a notebook it says what it is of, and how many samples it has."""
    one = filled(outer, inner)
    requires("rich")
    html, table = one._repr_html_(), one.__rich__()
    text = repr(one)

    assert " object at 0x" not in text
    assert "Accuracy" in text or outer in text
    assert "Accuracy" in html or outer in html
    assert all(re.search(r"\d", word) for word in (text, html))
    assert table.row_count


@checked(WITH_RECORD)
def test_it_is_recorded(outer: str, inner: str) -> None:
    """Ranks, and any order, give the record of one process; other samples give another."""

    def record(one: Any) -> dict[str, Any]:
        one.compute()
        found: dict[str, Any] = one.record()
        return found

    mine = record(filled(outer, inner))
    if "Windowed" in (outer, inner):
        again = record(pickle.loads(pickle.dumps(filled(outer, inner))))
    else:
        world = LocalWorld(2)
        again, _ = world.run(
            lambda b: record(add(build(outer, inner, b), outer, inner, DEALT[b.rank]))
        )
    assert mm.verify(mine, again) == []
    fewer = record(add(build(outer, inner), outer, inner, HALVES[1]))
    assert mm.verify(mine, fewer)
    counted = len(window(range(COUNT))) if "Windowed" in (outer, inner) else COUNT
    assert mine["claim"]["samples"]["count"] == counted


@checked()
def test_a_batch_alone_is_computed(outer: str, inner: str) -> None:
    """A call says what it would say of the batch alone, and keeps nothing."""
    one = filled(outer, inner)
    if "Paired" in (outer, inner):
        with pytest.raises(TypeError):
            one(SYSTEMS[0], LABELS)
        return
    columns = [name for name, at in (("y", outer), ("x", inner)) if at == "Sliced"]
    named = {"by": {name: COLUMNS[name] for name in columns}} if columns else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = one(SYSTEMS[0], LABELS, **named)
    # A window is of a stream, and a batch is none.
    whole = [name if name != "Windowed" else "Recorded" for name in (outer, inner)]
    check(*whole, found, WHOLE)
    check(outer, inner, one.compute(), WHOLE)
