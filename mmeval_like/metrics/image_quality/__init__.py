"""Image quality: the difference of an image from another one, or from natural images."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Image quality
    from .peak_signal_noise_ratio import PeakSignalNoiseRatio as PeakSignalNoiseRatio
    from .signal_noise_ratio import SignalNoiseRatio as SignalNoiseRatio
    from .structural_similarity import StructuralSimilarity as StructuralSimilarity
    from .multi_scale import MultiScaleStructuralSimilarity as MultiScaleStructuralSimilarity
    from .windows import UniversalImageQualityIndex as UniversalImageQualityIndex
    from .windows import SpatialCorrelationCoefficient as SpatialCorrelationCoefficient
    from .visual_information import VisualInformationFidelity as VisualInformationFidelity
    from .spectral import SpectralAngleMapper as SpectralAngleMapper
    from .spectral import ERGAS as ERGAS
    from .total_variation import TotalVariation as TotalVariation
    from .perceptual import (
        LearnedPerceptualImagePatchSimilarity as LearnedPerceptualImagePatchSimilarity,
    )
    from .perceptual import (
        DeepImageStructureAndTextureSimilarity as DeepImageStructureAndTextureSimilarity,
    )
    from .natural_image_quality import NaturalImageQualityEvaluator as NaturalImageQualityEvaluator
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
