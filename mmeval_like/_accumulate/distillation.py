"""Float additions that cannot round: of many floats they make few with the same exact sums.

With sigma = 4 n max|x|, taken = fl(fl(x + sigma) - sigma) is a multiple of ulp(sigma) / 2 and
x - taken is exact; n of these add up to less than 2**53 such multiples, so float64 additions in
any order do not round. Each pass takes some 36 bits.

Source: S. M. Rump, T. Ogita and S. Oishi, "Accurate floating-point summation part I" (SIAM J.
Sci. Comput. 31, 2008).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["distil", "distil_at"]

_Floats = npt.NDArray[np.float64]

_PASSES = 4  # after so many passes it is cheaper to add the floats that are left one by one
_PASSES_AT = 2  # the limit for `distil_at`, whose passes go over all columns
_HUGE = 2.0**1000  # larger floats would overflow when they are multiplied by 4 n


def distil(work: _Floats) -> _Floats:
    """Return floats `(m, width)` with the same exact sums as `work`, which is overwritten."""
    sums: list[_Floats] = []
    taken = np.empty_like(work)
    for _ in range(_PASSES):
        top = np.abs(work, out=taken).max(axis=0)
        peak = top.max()
        if not 0 < peak < _HUGE:  # only zeros are left; or nan, infinities or the largest floats
            break
        sigma = top * (4.0 * len(work))
        np.add(work, sigma, out=taken)
        taken -= sigma
        work -= taken
        sums.append(taken.sum(axis=0, keepdims=True))
    return np.concatenate([*sums, work if peak else work[:0]])


def distil_at(
    index: npt.NDArray[np.intp], work: _Floats, width: int
) -> tuple[_Floats, npt.NDArray[np.intp], _Floats]:
    """Return floats with the same exact sum in every column as `work`, which is overwritten.

    Args:
        index: The column of each float, (n,), in [0, width).
        work: The floats, (n,).
        width: The number of columns.

    Returns:
        Floats `(m, width)`, and the columns `(k,)` and values `(k,)` of what is left beside them.
    """
    sums = [np.empty((0, width))]
    for _ in range(_PASSES_AT):
        peak = np.abs(work).max(initial=0.0)
        if not 0 < peak < _HUGE:
            break
        sigma = peak * (4.0 * len(work))
        taken = (work + sigma) - sigma
        work -= taken
        sums.append(np.bincount(index, taken, width)[None].astype(np.float64, copy=False))
    rest = np.flatnonzero(work)
    return np.concatenate(sums), index[rest], work[rest]
