"""Segmentation metrics for pixel masks and alpha mattes."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Segmentation and matting
    from .mean_iou import MeanIoU as MeanIoU
    from .overlap_scores import DiceScore as DiceScore
    from .overlap_scores import GeneralizedDiceScore as GeneralizedDiceScore
    from .overlap_scores import VolumetricSimilarity as VolumetricSimilarity
    from .surface_scores import HausdorffDistance as HausdorffDistance
    from .surface_scores import AverageSurfaceDistance as AverageSurfaceDistance
    from .surface_scores import NormalizedSurfaceDistance as NormalizedSurfaceDistance
    from .mask_scores import BoundaryIoU as BoundaryIoU
    from .mask_scores import ReferringSegmentation as ReferringSegmentation
    from .skeletons import ClDice as ClDice
    from .panoptic_quality import PanopticQuality as PanopticQuality
    from .panoptic_quality import ModifiedPanopticQuality as ModifiedPanopticQuality
    from .sum_absolute_differences import SumAbsoluteDifferences as SumAbsoluteDifferences
    from .matting_mean_squared_error import MattingMeanSquaredError as MattingMeanSquaredError
    from .gradient_error import GradientError as GradientError
    from .connectivity_error import ConnectivityError as ConnectivityError
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
