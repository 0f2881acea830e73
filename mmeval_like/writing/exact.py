"""Numbers without rounding, and results that are rounded once: the same bits on every machine.

- Sums: `ExactSum` adds floats in any order; `FixedPoint` makes running sums of sorted floats.
- `limbs` are the integers that make up a sum, and that the ranks add.
- Products: `two_product` keeps the rounding error of a product, `exact_dot` adds products
  of floats, `exact_dot_of_counts` products of integers.
- Fractions to floats: `to_float`, `sqrt_fraction`, `correlation`.
- `Scratch` is memory for intermediate results.
- Functions: `exp`, `over_log`, `product_of_powers`, `entropy_of`.

Example:
    >>> import numpy as np
    >>> from mmeval_like.writing.exact import ExactSum, exp, sqrt_fraction
    >>> total = ExactSum()
    >>> total.add(np.array([1e100, 1.0, -1e100]))
    >>> total.value(), sqrt_fraction(total.fraction() * 9), exp(0.5)
    (1.0, 3.0, 1.6487212707001282)
"""

from mmeval_like._exact import limbs
from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._exact.fixed_point import FixedPoint
from mmeval_like._exact.scratch import Scratch
from mmeval_like._exact.two_product import two_product
from mmeval_like.writing.exact_functions import entropy_of, exp, over_log, product_of_powers
from mmeval_like.writing.exact_products import (
    correlation,
    exact_dot,
    exact_dot_of_counts,
    sqrt_fraction,
    to_float,
)

__all__ = [
    "ExactSum",
    "FixedPoint",
    "Scratch",
    "correlation",
    "entropy_of",
    "exact_dot",
    "exact_dot_of_counts",
    "exp",
    "limbs",
    "over_log",
    "product_of_powers",
    "sqrt_fraction",
    "to_float",
    "two_product",
]
