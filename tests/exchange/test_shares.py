"""Shares of values: every value is in one, equal ones in the same, and they are nearly even."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like._exchange.dealing import shares
from mmeval_like._exchange.dealing.shares import Shares
from mmeval_like._exchange.dealing.steps import Steps
from mmeval_like._exchange.group_lock import GroupLock
from mmeval_like.arrays.rank_order import global_order, global_places
from mmeval_like.testing import LocalWorld

MAGNITUDES = [0.0, 1e-45, 1e-30, 0.5, 1.0, 1.5, 1e30, np.inf]
some = st.sampled_from([*MAGNITUDES, *[-m for m in MAGNITUDES]]) | st.floats(
    width=32, allow_nan=False
)
# By rank, by column: values.
shards = st.integers(1, 3).flatmap(
    lambda columns: st.lists(
        st.lists(st.lists(some, max_size=9), min_size=columns, max_size=columns),
        min_size=2,
        max_size=4,
    )
)


def shares_of(shards: list[list[list[float]]], dtype: type) -> list[tuple[Shares, list]]:
    """On every rank the shares, and where they cut each of its columns."""

    def on_rank(backend: object) -> tuple[Shares, list]:
        ranks = Steps(backend, GroupLock())  # type: ignore[arg-type]
        columns = [[np.sort(np.array(c, dtype)) + 0] for c in shards[ranks.rank]]
        shares = Shares.even(lambda: columns, len(columns), ranks)
        return shares, [
            np.split(ascending, shares.cuts(c, ascending)[1:-1])
            for c, [ascending] in enumerate(columns)
        ]

    return LocalWorld(len(shards)).run(on_rank)


@given(shards, st.sampled_from([np.float32, np.float64]), st.sampled_from([2, 1 << 14]))
def test_every_value_is_in_one_share_in_order(
    shards: list[list[list[float]]], dtype: type, probes: int
) -> None:
    """All ranks agree; shares follow each other by column and value; the split of one is whole."""
    before, shares._PROBES = shares._PROBES, probes
    try:
        found = shares_of(shards, dtype)
    finally:
        shares._PROBES = before
    first = found[0][0]
    assert all(np.array_equal(s.columns, first.columns) for s, _ in found)
    assert all(np.array_equal(s.values, first.values) for s, _ in found)
    dealt = [
        sorted((c, v) for _, cuts in found for c, pieces in enumerate(cuts) for v in pieces[rank])
        for rank in range(len(shards))
    ]
    every = sorted(
        (c, float(dtype(v)) + 0) for shard in shards for c, vs in enumerate(shard) for v in vs
    )
    assert [entry for share in dealt for entry in share] == every
    sets = [set(share) for share in dealt]
    assert sum(map(len, sets)) == len(set().union(*sets))  # equal values are together
    for c in range(len(shards[0])):
        in_column = [rank for rank, share in enumerate(dealt) if any(k == c for k, _ in share)]
        assert set(in_column) <= set(first.ranks_of(c))
    most = max((every.count(entry) for entry in set(every)), default=0)
    assert max(map(len, dealt)) <= len(every) / len(shards) + 2 * most + 1


def test_shares_are_even_where_values_are_crowded() -> None:
    """Values within 1e-7 of each other, in a few rounds; ties stay together."""
    rng = np.random.default_rng(0)
    for dtype, most in ((np.float32, 3), (np.float64, 6)):
        world = LocalWorld(4)
        values = [1 + rng.random(20_000) * 1e-3 for _ in range(4)]

        def on_rank(backend: object, v: list = values, d: type = dtype) -> list[int]:
            ranks = Steps(backend, GroupLock())  # type: ignore[arg-type]
            ascending = np.sort(v[ranks.rank].astype(d))
            shares = Shares.even(lambda: [[ascending]], 1, ranks)
            return np.diff(shares.cuts(0, ascending)).tolist()

        sizes = np.sum(world.run(on_rank), axis=0)
        assert sizes.max() <= 1.1 * sizes.mean()
        assert world.calls[0]["all_reduce"] <= 1 + most


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.sampled_from(["unzip", "cat"]))
def test_every_rank_knows_the_places_of_its_rows(counts: list[int], mode: str) -> None:
    """Joined in rank order, they are where the global order finds them; ascending on each rank."""
    places = [global_places(counts, rank, mode) for rank in range(len(counts))]
    order = global_order(counts, mode)
    expected = np.arange(sum(counts)) if order is None else np.argsort(order)
    assert np.concatenate(places).tolist() == expected.tolist()
    assert all((np.diff(own) > 0).all() for own in places)
