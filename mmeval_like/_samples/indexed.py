"""Indexed: a dataset whose items come with their indices, for `add(ids=)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["Indexed"]


class Indexed:
    """A map-style dataset that gives every item together with the item's index.

    A data loader over it gives batches of indices and items. If the indices are passed as
    `add(ids=...)`, every sample counts once, no matter how the loader distributed, shuffled or
    repeated the samples. Works with any loader that reads `dataset[index]` and `len(dataset)`, for
    instance torch's `DataLoader`, including one prepared by accelerate.

    Args:
        dataset: A dataset with `len()` and `[index]`. It is available as the attribute `dataset`.

    Raises:
        TypeError: `dataset` has no `len()` or no `[]`, as is the case for iterable datasets.

    Example:
        >>> from mmeval_like import Indexed
        >>> dataset = Indexed(["a", "b", "c"])
        >>> len(dataset), dataset[1]
        (3, (1, 'b'))
    """

    def __init__(self, dataset: Any) -> None:
        for method, use in (("__len__", "len()"), ("__getitem__", "[index]")):
            if not hasattr(dataset, method):
                raise TypeError(
                    f"Indexed needs a dataset with {use}, got {type(dataset).__name__}; an "
                    f"iterable dataset must yield each sample's index itself"
                )
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> tuple[int, Any]:
        if not 0 <= index < len(self):  # also ends `for item in dataset`
            raise IndexError(f"index must be in [0, {len(self)}), got {index}")
        return index, self.dataset[index]

    def __getitems__(self, indices: Sequence[int]) -> list[tuple[int, Any]]:
        """Return several items; torch's loaders call this for a batch."""
        several = getattr(self.dataset, "__getitems__", None)
        if several is None:
            return [self[index] for index in indices]
        return list(zip(indices, several(indices), strict=True))

    def __repr__(self) -> str:
        return f"Indexed({self.dataset!r})"
