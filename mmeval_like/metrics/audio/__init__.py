"""Audio metrics."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Audio
    from .ratios import ScaleInvariantSDR as ScaleInvariantSDR
    from .ratios import ScaleInvariantSNR as ScaleInvariantSNR
    from .ratios import ComplexScaleInvariantSNR as ComplexScaleInvariantSNR
    from .ratios import SourceAggregatedSDR as SourceAggregatedSDR
    from .distortion import SignalDistortionRatio as SignalDistortionRatio
    from .permutation import PermutationInvariantTraining as PermutationInvariantTraining
    from .speech import PerceptualEvaluationSpeechQuality as PerceptualEvaluationSpeechQuality
    from .speech import ShortTimeObjectiveIntelligibility as ShortTimeObjectiveIntelligibility
    from .diarization import DiarizationErrorRate as DiarizationErrorRate
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
