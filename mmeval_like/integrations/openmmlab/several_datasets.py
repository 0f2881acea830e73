"""`MultiDatasetsEvaluator` of MMDetection and MMOCR: each data set of several by itself."""

from __future__ import annotations

import bisect
import copy
from collections.abc import Mapping, Sequence
from typing import Any

from mmengine.dist import get_rank, get_world_size
from mmengine.evaluator import Evaluator

from mmeval_like.integrations.openmmlab.adapter import Adapter

__all__ = ["SeveralDatasets"]


class SeveralDatasets(Evaluator):  # type: ignore[misc]  # MMEngine has no types
    """Adapters, each with the samples of one data set among those that are concatenated.

    The n-th sample of a rank is number n * ranks + rank of all data sets together, as MMEngine's
    `DefaultSampler` deals them without shuffling; `MultiDatasetsEvaluator` takes it for granted,
    too.

    Args:
        metrics: The adapters.
        dataset_prefixes: A name for each data set, with which the names of its numbers begin.
        crossed: Whether every data set has all metrics, as in MMOCR. Otherwise the i-th metric is
            that of the i-th data set, as in MMDetection.
    """

    def __init__(
        self, metrics: Sequence[Adapter], dataset_prefixes: Sequence[str], crossed: bool
    ) -> None:
        self.dataset_prefixes = [*dataset_prefixes]
        datasets = range(len(self.dataset_prefixes))
        self.parts = (
            [(dataset, copy.deepcopy(metric)) for metric in metrics for dataset in datasets]
            if crossed
            else [*zip(datasets, metrics, strict=True)]
        )
        self.ends: list[int] | None = None
        self.count = 0  # of the samples of this rank
        super().__init__([metric for _, metric in self.parts])

    @property
    def dataset_meta(self) -> Any:
        """Facts about the data sets together, or about each, which the loop sets."""
        return self._dataset_meta

    @dataset_meta.setter
    def dataset_meta(self, meta: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        self._dataset_meta = meta
        of_each = [meta] * len(self.dataset_prefixes) if isinstance(meta, Mapping) else meta
        self.ends = of_each[0].get("cumulative_sizes")
        if len(self.ends or [0]) != len(self.dataset_prefixes):
            raise ValueError(
                f"dataset_prefixes must have one entry per data set, {len(self.ends or [0])}, "
                f"got {self.dataset_prefixes}"
            )
        for dataset, metric in self.parts:
            metric.dataset_meta = of_each[dataset]

    def process(self, data_samples: Sequence[Any], data_batch: Any = None) -> None:
        """Give each metric the samples of its data set; those that a sampler repeats to none."""
        if self.ends is None:
            super().process(data_samples, data_batch)
            return
        numbers = [
            (self.count + place) * get_world_size() + get_rank()
            for place in range(len(data_samples))
        ]
        self.count += len(data_samples)
        of_dataset: list[list[int]] = [[] for _ in self.ends]
        for place, number in enumerate(numbers):
            if number < self.ends[-1]:
                of_dataset[bisect.bisect_right(self.ends, number)].append(place)
        dicts = [one.to_dict() if hasattr(one, "to_dict") else one for one in data_samples]
        for dataset, metric in self.parts:
            places = of_dataset[dataset]
            if places:
                start = self._start(dataset)
                metric.ids = [numbers[place] - start for place in places]
                metric.process(data_batch, [dicts[place] for place in places])

    def evaluate(self, size: int) -> dict[str, float]:
        """Return the numbers of all data sets, the same on every rank, and forget the samples.

        Raises:
            ValueError: Two numbers have the same name.
        """
        self.count = 0
        values: dict[str, float] = {}
        for dataset, metric in self.parts:
            length = size if self.ends is None else self.ends[dataset] - self._start(dataset)
            found = {
                f"{self.dataset_prefixes[dataset]}/{name}": value
                for name, value in metric.evaluate(length).items()
            }
            if not values.keys().isdisjoint(found):
                raise ValueError(
                    f"metrics must have different prefixes, got several values of "
                    f"{', '.join(values.keys() & found.keys())}"
                )
            values |= found
        return values

    def _start(self, dataset: int) -> int:
        return self.ends[dataset - 1] if self.ends is not None and dataset else 0
