"""Metrics on network features, for generated images and for images with texts."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Generated images, and features of networks
    from .frechet import FrechetInceptionDistance as FrechetInceptionDistance
    from .frechet import MemorizationInformedFID as MemorizationInformedFID
    from .kernels import KernelInceptionDistance as KernelInceptionDistance
    from .kernels import MaximumMeanDiscrepancy as MaximumMeanDiscrepancy
    from .inception_score import InceptionScore as InceptionScore
    from .neighbours import PrecisionRecallDensityCoverage as PrecisionRecallDensityCoverage
    from .independence import HilbertSchmidtIndependence as HilbertSchmidtIndependence
    from .clip_score import CLIPScore as CLIPScore
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
