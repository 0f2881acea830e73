"""Batch: the arguments of one `add`, and the functions to call once its rows are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mmeval_like._states.key_columns import Tags, read_keys

__all__ = ["Batch"]


class Batch:
    """The arguments of one `add`.

    Args:
        args: The inputs of the metrics.
        named: The inputs that were passed by name.
        ids: The samples' ids, or None.
        by: For each column, the values that name the slices.
        clusters: The cluster of each sample, or None.
        classes: A function that returns the names of the classes, in the order of their indices;
            None: each metric uses its own names.
        unscored: For each sample None, or the reason why it has no score; None: all have one.

    Attributes:
        after: Functions to call once all rows are stored.
        aside: By name, values that are saved with the samples and never sent.
    """

    __slots__ = (
        "_tags", "after", "args", "aside", "by", "classes", "clusters", "ids", "named", "unscored",
    )  # fmt: skip

    def __init__(
        self,
        args: tuple[Any, ...],
        named: dict[str, Any],
        ids: Any = None,
        by: Mapping[str, Any] | None = None,
        clusters: Any = None,
        classes: Callable[[], Sequence[str] | None] | None = None,
        unscored: Sequence[str | None] | None = None,
    ) -> None:
        self.args, self.named, self.ids, self.classes = args, named, ids, classes
        self.by, self.clusters = by or {}, clusters
        self.unscored = unscored
        self.after: list[Callable[[], None]] = []
        self.aside: dict[str, Any] = {}
        self._tags: dict[tuple[tuple[str, ...], bool], Tags] = {}
        if clusters is not None:
            self.tags((), True)  # read in any case, so that a wrong value is always an error

    def tags(self, columns: tuple[str, ...], clustered: bool) -> Tags:
        """Return the key of each sample: its values in some columns, and its cluster.

        Args:
            columns: The columns, in the order of the key.
            clustered: Whether the cluster is the last entry of the key.

        Raises:
            TypeError: A value is neither an integer nor a string.
            ValueError: Columns differ in length.
        """
        if (columns, clustered) not in self._tags:
            named = [(f"by[{name!r}]", self.by[name]) for name in columns]
            called = "by"
            if clustered:
                named.append(("clusters", self.clusters))
                called = "by and clusters" if columns else "clusters"
            self._tags[columns, clustered] = read_keys(named, called)
        return self._tags[columns, clustered]
