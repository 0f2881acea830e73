"""Another processor, in the worst case: functions that may differ in the last bit do differ."""

import importlib
import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

FUNCTIONS = {
    np: "log log1p log2 log10 logaddexp exp exp2 expm1 power sinh cosh tanh sin cos tan "
    "arcsin arccos arctan arctan2 hypot interp",
    math: "log log1p log2 log10 exp expm1 pow sinh cosh tanh sin cos tan asin acos atan atan2 "
    "erf erfc gamma lgamma",
    np.linalg: "svd eigh eigvalsh det norm solve inv",
    np.fft: "fft ifft rfft irfft",
    importlib.import_module("scipy.linalg"): "solve_toeplitz",
}


def differ() -> None:
    """Replace the functions by ones whose results are the next floats.

    Integers stay: no processor rounds log(1), exp(0) or exp2(3) in another way.
    """
    for module, names in FUNCTIONS.items():
        for name in names.split():
            setattr(module, name, _other(getattr(module, name)))


def _other(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def other(*arguments: Any, **options: Any) -> Any:
        return _next(function(*arguments, **options))

    return other


def _next(found: Any) -> Any:
    """Return the next floats, above or below by a bit in the middle of each number."""
    if isinstance(found, tuple):  # of svd and eigh
        return type(found)(*map(_next, found))
    if np.iscomplexobj(found):
        return _next(found.real) + 1j * _next(found.imag)
    with np.errstate(invalid="ignore"):
        odd = np.frexp(found)[0] * 2.0**20 % 2 >= 1
    others = np.nextafter(found, np.where(odd, np.inf, -np.inf).astype(np.asarray(found).dtype))
    whole = found == np.rint(found)
    if isinstance(found, np.ndarray):
        np.copyto(found, others, where=~whole)  # it may be the caller's `out`
        return found
    return found if whole else type(found)(others)
