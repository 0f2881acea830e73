"""Metrics in other frameworks: each file here is one framework's, and is loaded on first use."""

from typing import TYPE_CHECKING

from mmeval_like._names import lazy_names

if TYPE_CHECKING:
    from .ignite import attach as attach
    from .lightning import MetricsCallback as MetricsCallback
    from .sklearn import Scorer as Scorer
    from .transformers import trainer as trainer
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
