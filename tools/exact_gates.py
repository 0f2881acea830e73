"""Gates of shares, for `make intervals`: how often they are wrong, over all outcomes."""

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from mmeval_like._intervals.exact_shares import exact_difference
from mmeval_like._intervals.interval import share
from mmeval_like._intervals.share_differences import difference_of_shares
from mmeval_like._intervals.transforms import wilson
from mmeval_like._verdicts.bounds import exact

SHARES_OF = (20, 34, 54, 100, 169, 1000)  # samples: where Wilson's interval is worst, and others
PAIRS_OF = (50, 100, 200, 500, 2000)
_LEAST, _MOST = 0.5, 0.9999  # true shares
_BESIDE = 1e-9  # the distance of a true share from the end of an interval
_MARGINS, _UPS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1), (0.0, 0.002, 0.005, 0.01, 0.02)
_RARE = 1e-8  # outcomes that are left out


def shares(count: int) -> dict[str, float]:
    """The least coverage, and the largest share of wrong verdicts, over true shares from 0.5 on.

    Between the ends of intervals, the rates are smooth in the true share; they jump at the ends, so
    that all extremes lie beside them.

    Returns:
        "coverage", "pass" and "fail" of the package, and of Wilson's interval by itself.
    """
    hits = np.arange(count + 1)
    intervals = [share(k / count, 0.95, count, (0.0, 1.0)) for k in hits.tolist()]
    ends = {
        "": [(one.low, one.high) for one in intervals],
        "gate": [(one.low, one.high) for one in (exact(each, (0.0, 1.0)) for each in intervals)],
        "Wilson": [wilson(k / count, count, 0.95) for k in hits.tolist()],
    }
    low, high = ({name: np.array(found)[:, i] for name, found in ends.items()} for i in (0, 1))
    every = np.unique([(*low[name], *high[name]) for name in ends])
    beside = np.concatenate([every - _BESIDE, every + _BESIDE])
    tried = beside[(beside >= _LEAST) & (beside <= _MOST)]
    likely, true = np.array([_binomial(count, share) for share in tried]), tried[:, None]
    found = {}
    for suffix, of_interval, of_gate in (("", "", "gate"), (", Wilson", "Wilson", "Wilson")):
        inside = (low[of_interval] <= true) & (true <= high[of_interval])
        found[f"coverage{suffix}"] = float((likely * inside).sum(axis=1).min())
        found[f"pass{suffix}"] = float((likely * (low[of_gate] >= true)).sum(axis=1).max())
        found[f"fail{suffix}"] = float((likely * (high[of_gate] < true)).sum(axis=1).max())
    return found


def pairs(count: int) -> dict[str, float]:
    """The largest share of wrong verdicts of systems that are just as much worse as they may be.

    Returns:
        "pass" and "fail" of the package, and of Tango's interval by itself.
    """
    found = dict.fromkeys(("pass", "fail", "pass, Tango", "fail, Tango"), 0.0)
    for margin in _MARGINS:
        for up in _UPS:
            chance = dict.fromkeys(found, 0.0)
            ups = _binomial(count, up)
            for ups_found in np.flatnonzero(ups > _RARE).tolist():
                of_rest = _binomial(count - ups_found, (up + margin) / (1 - up))
                for downs_found in np.flatnonzero(of_rest * ups[ups_found] > _RARE).tolist():
                    likely = ups[ups_found] * of_rest[downs_found]
                    low, high = _ends(exact_difference, ups_found, downs_found, count)
                    chance["pass"] += likely * (low >= -margin)
                    chance["fail"] += likely * (high < -margin)
                    low, high = _ends(difference_of_shares, ups_found, downs_found, count)
                    chance["pass, Tango"] += likely * (low >= -margin)
                    chance["fail, Tango"] += likely * (high < -margin)
            found = {name: max(found[name], float(chance[name])) for name in found}
    return found


@cache
def _ends(
    method: Callable[[int, int, int, float], tuple[float, float]], up: int, down: int, count: int
) -> tuple[float, float]:
    return method(up, down, count, 0.95)


def _binomial(count: int, share: float) -> np.ndarray:
    """Return the probabilities of all numbers of hits."""
    if share == 0:
        return np.eye(1, count + 1)[0]
    logs = [
        math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
        + k * math.log(share) + (count - k) * math.log1p(-share)
        for k in range(count + 1)
    ]  # fmt: skip
    return np.exp(logs)
