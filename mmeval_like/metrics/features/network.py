"""FeatureMetric: the base class of metrics of the features of real and generated samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.features.feature_moments import FeatureMoments, Features
from mmeval_like.writing import BaseMetric, MetricOptions, Unpack

__all__ = ["FeatureMetric", "check_network"]


def check_network(features: Any) -> None:
    """Raise TypeError unless `features` is a function or None."""
    if features is not None and not callable(features):
        raise TypeError(f"features must be a function or None, got {features!r}")


@shared_options
class FeatureMetric(BaseMetric):
    """The base class of metrics of features of real and generated samples. It contains no network.

    Args:
        dim: The number of features D.
        features: The network: a function of a batch of samples, as `add` gets them, that returns
            their features (N, D). It must treat samples one by one, as a network in evaluation
            mode does. None: `add` takes features.
        **options: As for `BaseMetric`.

    Raises:
        TypeError: `dim` is not an integer, or `features` not a function.
        ValueError: `dim` is below 1.
    """

    _takes_inputs = FeatureMoments.rows

    if TYPE_CHECKING:

        def rows(self, samples: Any, real: Any) -> Mapping[str, Any]:
            """For type checkers."""

    kept: ClassVar[type[FeatureMoments] | type[Features]] = Features

    def __init__(
        self,
        dim: int = 2048,
        features: Callable[[Any], Any] | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        check_network(features)
        self.statistic = self.kept(dim, features)
        self.dim, self.features = dim, features
