"""Metrics in other frameworks: one file for each framework, loaded on first use."""

from typing import TYPE_CHECKING, Any

from mmeval_like._base.names import lazy_names
from mmeval_like._base.optional import needed_for

if TYPE_CHECKING:
    from .beam import BeamStates as BeamStates
    from .daft import daft_states as daft_states
    from .dask import dask_states as dask_states
    from .ignite import attach as attach
    from .keras import KerasMetrics as KerasMetrics
    from .lightning import MetricsCallback as MetricsCallback
    from .mlflow import mlflow_names as mlflow_names
    from .mmengine import MMEvalLike as MMEvalLike
    from .ray import ray_states as ray_states
    from .sklearn import Scorer as Scorer
    from .spark import spark_states as spark_states
    from .states import States as States
    from .torchmetrics import as_torchmetrics as as_torchmetrics
    from .transformers import trainer as trainer
    from .trl import attach_attempts as attach_attempts
else:
    # Where pip has another name for a package than Python.
    _INSTALL = {
        "BeamStates": "pip install apache-beam",
        "attach": "pip install pytorch-ignite",
    }
    _load, __dir__, __all__ = lazy_names(__name__)

    def __getattr__(name: str) -> Any:
        with needed_for(f"{__name__}.{name}", _INSTALL.get(name, "")):
            return _load(name)
