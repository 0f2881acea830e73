"""Metrics in other frameworks: one file for each framework, loaded on first use."""

from typing import TYPE_CHECKING, Any

from mmeval_like._base.names import lazy_names
from mmeval_like._base.optional import needed_for

if TYPE_CHECKING:
    from .ignite import attach as attach
    from .keras import KerasMetrics as KerasMetrics
    from .lightning import MetricsCallback as MetricsCallback
    from .mapreduce import MapReduce as MapReduce
    from .mlflow import mlflow_names as mlflow_names
    from .mmengine import MMEvalLike as MMEvalLike
    from .sklearn import Scorer as Scorer
    from .torchmetrics import as_torchmetrics as as_torchmetrics
    from .transformers import trainer as trainer
else:
    _load, __dir__, __all__ = lazy_names(__name__)

    def __getattr__(name: str) -> Any:
        install = "pip install pytorch-ignite" if name == "attach" else ""
        with needed_for(f"{__name__}.{name}", install):
            return _load(name)
