"""Laws of the digest of a rank's first rows: it depends on the rows, and not on their batches."""

import numpy as np
import pytest

from mmeval_like._samples.rows_digest import NOTHING, RowsDigest
from mmeval_like._states.rows import Ragged, take

RNG = np.random.default_rng(0)
LENGTHS = RNG.integers(0, 40, 300)
ROWS = {
    "numbers": RNG.normal(size=300),
    "hits": RNG.random(300) < 0.5,
    "wide": RNG.normal(size=(300, 4, 9)),
    "columns": np.asfortranarray(RNG.normal(size=(300, 2))),
    "ragged": Ragged.from_arrays([RNG.normal(size=n) for n in LENGTHS]),
    "objects": RNG.integers(0, 9, 300).tolist(),
}


def digest(rows, cuts):
    """The digest of rows that come in batches."""
    sample = RowsDigest()
    for start, stop in zip([0, *cuts], [*cuts, 300], strict=True):
        parts = {name: take(part, slice(start, stop)) for name, part in rows.items()}
        sample = sample.with_rows(stop - start, parts)
    return sample.digest()


@pytest.mark.parametrize("names", [*([name] for name in ROWS), [*ROWS]])
def test_batches_make_no_difference(names):
    """Any split of the rows has one digest, which proves something."""
    rows = {name: ROWS[name] for name in names}
    found = {digest(rows, cuts) for cuts in ([], [1], [7, 100, 255], [256], [100, 200])}
    assert len(found) == 1
    assert found != {NOTHING}


def test_rows_decide():
    """Another number in one of the first 256 rows changes it, one behind them does not."""
    for place, same in ((0, False), (255, False), (256, True)):
        other = ROWS["numbers"].copy()
        other[place] += 1
        assert (digest({"s": other}, [50]) == digest({"s": ROWS["numbers"]}, [50])) == same


def test_rows_of_other_widths_may_follow():
    """Batches of other dtypes or shapes are rows like any other."""
    rows = ROWS["numbers"][:200].astype(np.float32)
    found = []
    for cuts in ([100], [30, 100]):
        sample = RowsDigest()
        for start, stop in zip([0, *cuts], [*cuts, 200], strict=True):
            kind = np.float32 if stop <= 100 else np.float64
            sample = sample.with_rows(stop - start, {"s": rows[start:stop].astype(kind)})
        found.append(sample.digest())
    assert found[0] == found[1] != NOTHING


def test_what_is_alike_or_little_proves_nothing():
    """Few rows, and rows that are nearly all equal, have no digest."""
    sample = RowsDigest()
    sample = sample.with_rows(50, {"s": ROWS["numbers"][:50]})
    assert sample.digest() == NOTHING
    assert digest({"s": np.repeat([1.0, 2.0], 150)}, [30]) == NOTHING
    assert digest({"s": np.zeros((300, 0))}, [30]) == NOTHING
