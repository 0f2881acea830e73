"""Distributed metric evaluation: the same samples give the same bits, on any number of ranks."""

import sys

# `python -m mmeval_like` has put the current folder, where the files are data, first on the path.
if (
    sys.argv[:1] == ["-m"]
    and sys.orig_argv[-len(sys.argv)].endswith("mmeval_like")
    and not getattr(sys.flags, "safe_path", sys.flags.isolated)
):
    del sys.path[0]

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import dist as dist
    from . import state as state
    from . import writing as writing
    from ._core.collection import MetricCollection as MetricCollection
    from ._core.gates import gate as gate
    from ._core.merging import merge as merge
    from ._core.metric import BaseMetric as BaseMetric
    from ._core.paired import Paired as Paired
    from ._core.post_strata import post_stratified as post_stratified
    from ._core.result import Result as Result
    from ._core.running import Running as Running
    from ._core.sliced import Sliced as Sliced
    from ._core.windowed import Windowed as Windowed
    from ._exchange.handle import Handle as Handle
    from ._samples.indexed import Indexed as Indexed
    from ._states.results import Results as Results
    from ._states.rows import Ragged as Ragged
    from ._states.statistic import Statistic as Statistic
    from ._verdicts.broken import broken as broken
    from ._verdicts.planning import Plan as Plan
    from ._verdicts.planning import plan as plan
    from ._verdicts.verdict import Verdict as Verdict
    from .backends import BaseDistBackend as BaseDistBackend
    from .backends import get_dist_backend as get_dist_backend
    from .backends import list_all_backends as list_all_backends
    from .backends import register_backend as register_backend
    from .backends import set_default_dist_backend as set_default_dist_backend
    from .compat.evaluate import load as load
    from .dist.average import average_metrics as average_metrics
    from .errors import DisagreementError as DisagreementError
    from .errors import LauncherMismatchError as LauncherMismatchError
    from .errors import MissingBackendError as MissingBackendError
    from .errors import RemoteError as RemoteError
    from .errors import SyncTimeoutError as SyncTimeoutError
    from .errors import UnknownBackendError as UnknownBackendError
    from .logs import read_log as read_log
    from .metrics import *  # noqa: F403  # a stub lists them
    from .records.history import record_log as record_log
    from .records.recorded import Recorded as Recorded
    from .records.rollup import rollup as rollup
    from .records.verify import verify as verify
    from .reporting.page import report as report
    from .tables.scoring import score as score
    from .writing import RatioOfSums as RatioOfSums
    from .writing import SampleMean as SampleMean
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
