"""Scores that repeat are kept once with their number: less memory, and the same bits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.metrics.curves import score_lists, score_runs
from mmeval_like.metrics.curves.ranking import Ranking, dot
from mmeval_like.metrics.curves.score_lists import ScoreState
from mmeval_like.metrics.curves.score_runs import (
    Counted,
    Run,
    ascending_runs,
    counted,
    expanded,
    merged,
    one_run,
)
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same

METRICS = {
    "auroc": mm.AUROC,
    "auroc with DeLong's interval": lambda **o: mm.AUROC(interval=0.95, **o),
    "auroc up to a rate": lambda **o: mm.AUROC(max_fpr=0.3, **o),
    "ap": lambda **o: mm.AveragePrecision(percent=False, **o),
    "ap with an interval": lambda **o: mm.AveragePrecision(percent=False, interval=0.95, **o),
    "gini": mm.GiniCoefficient,
    "roc": mm.ROC,
    "curve": mm.PrecisionRecallCurve,
    "ks": mm.KolmogorovSmirnov,
    "threshold": mm.BestThreshold,
}
numbers = st.sampled_from([-math.inf, -2.5, 0.0, 1e-40, 0.5, 1.0, math.inf]) | st.floats(
    width=32, allow_nan=False
)
arrays = st.lists(numbers, max_size=8).map(lambda values: np.array(values, np.float32) + 0)
runs = st.lists(st.tuples(arrays, arrays), min_size=1, max_size=4)


@pytest.fixture(autouse=True)
def settled_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few scores are enough to see whether they repeat."""
    monkeypatch.setattr(score_lists, "_SETTLED", 4)


@given(runs, st.booleans())
def test_one_run_has_the_same_scores_in_half_the_memory(
    parts: list[tuple[np.ndarray, ...]], pairwise: bool
) -> None:
    """Whatever runs they come in; counted only where this takes at most half the bytes."""
    made = [Run.of(groups) for groups in parts]
    found = one_run([one_run(made[:2]), *made[2:]] if pairwise else made)
    every = [np.sort(np.concatenate([groups[kind] for groups in parts])) for kind in (0, 1)]

    assert [expanded(group).tolist() for group in found.groups()] == [g.tolist() for g in every]
    least = sum(len(np.unique(group)) for group in every) * 5
    samples = sum(map(len, every)) * 4
    assert (found.counts is not None) == (2 * least <= samples)
    if found.counts is not None:
        assert 2 * (found.values.nbytes + found.counts.nbytes) <= samples


@given(st.lists(arrays, max_size=5), st.booleans())
def test_parts_in_order_are_merged(parts: list[np.ndarray], ordered: bool) -> None:
    """Parts that ascend or not, of one score or none: all their scores, ascending."""
    parts = [np.sort(part) if ordered else part for part in parts]
    every = np.concatenate([np.empty(0, np.float32), *parts])
    found = merged(parts, np.empty(len(every), np.float32)) if parts else every

    assert found.tolist() == np.sort(every).tolist()


@given(runs, runs)
def test_what_is_settled_is_not_copied(
    before: list[tuple[np.ndarray, ...]], after: list[tuple[np.ndarray, ...]]
) -> None:
    """The first run stays what it is, and a second one has the rest, unless there are counts."""
    settled = one_run([Run.of(groups) for groups in before])
    found = ascending_runs([settled, *map(Run.of, after)])

    assert settled.counts is not None or (found[0] is settled and len(found) == 2)
    for kind, groups in enumerate(zip(*(run.groups() for run in found), strict=True)):
        assert all((expanded(g)[1:] >= expanded(g)[:-1]).all() for g in groups)
        every = np.concatenate([expanded(group) for group in groups])
        given_ = np.concatenate([groups[kind] for groups in (*before, *after)])
        assert np.sort(every).tolist() == np.sort(given_).tolist()


def test_compute_sorts_scores_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one merges what came since; a store that was taken before is as it was."""
    sizes: list[int] = []
    before = score_runs.merged
    monkeypatch.setattr(score_lists, "_SETTLED", 1 << 20)
    monkeypatch.setattr(
        score_runs, "merged", lambda parts, out: sizes.append(len(parts)) or before(parts, out)
    )
    metric, rng = mm.AUROC(), np.random.default_rng(0)
    store = metric._samples().stores()[0]
    store.backlog.block = 0
    scores, labels = rng.random(400, np.float32), rng.integers(0, 2, 400)
    for start in range(0, 200, 10):
        metric.add(scores[start : start + 10], labels[start : start + 10])
    early = store.snapshot()
    first = metric.compute()
    assert max(sizes) > 2
    sizes.clear()
    assert metric.compute() == first
    assert not sizes
    metric.add(scores[200:], labels[200:])
    assert metric.compute() == mm.AUROC()(scores, labels)
    assert len(early._folded["scores"]) > 1
    assert early.count == 200


@given(st.lists(arrays, max_size=4), st.integers(0, 3))
def test_counts_are_those_of_all_parts(parts: list[np.ndarray], already: int) -> None:
    """Each distinct score once, with the number of all, whichever parts were counted before."""
    mixed = [counted([part]) if i < already else part for i, part in enumerate(parts)]
    found = counted(mixed)
    values, counts = np.unique(np.concatenate([np.empty(0), *parts]), return_counts=True)

    assert found.scores.tolist() == values.tolist()
    assert found.counts.tolist() == counts.tolist()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.uint64, np.int64])
def test_scores_are_repeated_for_counts_of_any_dtype(dtype: type) -> None:
    """Counts beyond 2^32 are uint64; where counting pays no more, scores are kept one by one."""
    found = expanded(Counted(np.array([0.5, 1.0]), np.array([2, 1], dtype)))

    assert found.tolist() == [0.5, 0.5, 1.0]


@given(
    st.lists(st.tuples(st.integers(0, 2**52), st.integers(0, 2**62)), max_size=5),
)
def test_dot_of_any_counts(pairs: list[tuple[int, int]]) -> None:
    """The sum of products, beyond int64 too."""
    left, right = (np.array([p[i] for p in pairs], np.int64) for i in (0, 1))
    assert dot(left, right) == sum(a * b for a, b in pairs)


def evaluate(make: object, columns: tuple[np.ndarray, ...], ranks: int, batch: int) -> object:
    """The metric of samples that are dealt over ranks and come in batches."""

    def of_rank(backend: object) -> object:
        metric = make(dist_backend=backend)  # type: ignore[operator]
        metric._samples().stores()[0].backlog.block = 0
        scores, labels = (column[backend.rank :: ranks] for column in columns)  # type: ignore[attr-defined]
        for start in range(0, len(scores), batch):
            part = slice(start, start + batch)
            metric.add(scores[part], labels[part])
        return metric.compute()

    return LocalWorld(ranks).run(of_rank)[-1]


@pytest.mark.filterwarnings("ignore")  # few samples
@pytest.mark.parametrize("name", METRICS)
def test_counted_scores_give_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every metric, on ranks of which some count their scores and some have them one by one."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 300)
    scores = np.round(rng.normal(labels, 2.0), 1).astype(np.float32)
    scores[200::2] = rng.random(50)  # of the last, half repeat
    columns = (scores, labels)
    with monkeypatch.context() as never:
        never.setattr(score_runs, "_pays", lambda *_: False)
        expected = evaluate(METRICS[name], columns, 1, 300)
    for ranks, batch in ((1, 300), (1, 10), (2, 30), (3, 7)):
        assert same(evaluate(METRICS[name], columns, ranks, batch), expected)
    monkeypatch.setattr(score_runs, "_pays", lambda *_: True)
    for ranks, batch in ((1, 300), (3, 7)):
        assert same(evaluate(METRICS[name], columns, ranks, batch), expected)


@pytest.mark.parametrize("bits", ["bfloat16", "float16"])
def test_narrow_floats_take_less_than_a_mebibyte(bits: str) -> None:
    """All values that there are, of both labels, as often as one likes."""
    if bits == "float16":
        values = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
    else:
        values = (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32)
    values = values[~np.isnan(values)]
    state, rows = ScoreState(1, False), np.empty((2 * len(values), 1, 2), np.float32)
    rows[:, 0, 0], rows[:, 0, 1] = np.tile(values, 2) + 0, np.repeat([0, 1], len(values))
    folded = state.empty()
    for _ in range(9):
        folded = state.fold(folded, rows)
    for _ in range(14):  # 2 thousand million samples
        folded = state.merge(folded, folded)
        state.to_arrays(folded)

    sent = state.to_arrays(folded)
    assert sum(array.nbytes for array in sent.values()) < 1 << 20
    ranking = Ranking.of(*state.value(folded).of_class(0))
    assert ranking.negatives == ranking.positives == 9 * len(values) << 14
    assert ranking.auroc() == 0.5


def test_damaged_counts_are_refused() -> None:
    """Counts of another type or number, counts of zero, and scores that do not ascend."""
    state = ScoreState(1, False)
    rows = np.array([[[1, 0]], [[1, 0]], [[1, 0]], [[2, 0]]] * 3, np.float32)
    good = state.to_arrays(state.fold(state.empty(), rows))
    assert isinstance(state.value(state.from_arrays(good)).groups[0][0], Counted)
    for name, bad in {
        "counts": np.array([9.0, 3.0]),
        "values": np.array([2.0, 1.0], np.float32),
    }.items():
        with pytest.raises(ValueError, match="count"):
            state.from_arrays({**good, name: bad})
    for counts in (np.array([9], np.uint8), np.array([9, 0], np.uint8)):
        with pytest.raises(ValueError, match="counts"):
            state.from_arrays({**good, "counts": counts})
