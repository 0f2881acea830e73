"""The classes of states, for states of your own that derive from one of them.

- `FloatSum` is the class of `state.sum(float)`: an exact sum.
- `PieceSum` is an exact sum of values that are computed from the rows when they fold, such as
  products. A subclass yields `Piece`s: floats, and the places in the sum at which they are added.
- `Cat` is the class of `state.cat()`: it keeps all rows.
- `the_array` reads one array of a saved state, and checks its dtype and its shape.

The page "Custom states" explains what a state must have.

Example:
    >>> import numpy as np
    >>> from mmeval_like.writing.exact import two_product
    >>> from mmeval_like.writing.states import PieceSum
    >>> class SumOfSquares(PieceSum):
    ...     '''The exact sum of squares, which float64 would round.'''
    ...     def pieces(self, rows):
    ...         for part in two_product(rows, rows):
    ...             yield 0, part
    >>> squares = SumOfSquares(float, ())
    >>> folded = squares.fold(squares.empty(), np.array([1e8 + 1, 1.0]))
    >>> folded.fraction() == (10**8 + 1) ** 2 + 1
    True
"""

from mmeval_like._exact.gram import Piece
from mmeval_like._states.kinds.abstract import the_array
from mmeval_like._states.kinds.folding import FloatSum
from mmeval_like._states.kinds.ordered import Cat
from mmeval_like._states.kinds.pieces import PieceSum

__all__ = ["Cat", "FloatSum", "Piece", "PieceSum", "the_array"]
