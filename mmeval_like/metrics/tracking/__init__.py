"""Metrics for object tracking in videos."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Tracking
    from .hota import HOTA as HOTA
    from .identities import ClearMOT as ClearMOT
    from .identities import IDF1 as IDF1
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
