"""Metrics for language models: repeated attempts, choices, likelihoods and games."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Language models
    from .perplexity import Perplexity as Perplexity
    from .pass_at_k import PassAtK as PassAtK
    from .pass_at_k import PassHatK as PassHatK
    from .pass_at_k import GPassAtK as GPassAtK
    from .majority_vote import MajorityVote as MajorityVote
    from .bits_per_byte import BitsPerByte as BitsPerByte
    from .multiple_choice import MultipleChoiceAccuracy as MultipleChoiceAccuracy
    from .multiple_choice import MultipleChoiceMass as MultipleChoiceMass
    from .bradley_terry import BradleyTerry as BradleyTerry
    from .win_rate import WinRate as WinRate
    from .win_rate import PositionBias as PositionBias
    from .prediction_powered_mean import PredictionPoweredMean as PredictionPoweredMean
    from .variance_components import VarianceComponents as VarianceComponents
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
