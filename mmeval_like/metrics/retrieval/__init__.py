"""Metrics for ranked results of searches and recommendations."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Retrieval and recommendation
    from .ranks import RetrievalMAP as RetrievalMAP
    from .ranks import RetrievalMRR as RetrievalMRR
    from .gains import RetrievalNormalizedDCG as RetrievalNormalizedDCG
    from .gains import RetrievalDCG as RetrievalDCG
    from .hits import RetrievalPrecision as RetrievalPrecision
    from .hits import RetrievalRecall as RetrievalRecall
    from .hits import RetrievalFBeta as RetrievalFBeta
    from .hits import RetrievalHitRate as RetrievalHitRate
    from .hits import RetrievalFallOut as RetrievalFallOut
    from .hits import RetrievalRPrecision as RetrievalRPrecision
    from .ranks import RetrievalAUROC as RetrievalAUROC
    from .retrieval_curves import RetrievalPrecisionRecallCurve as RetrievalPrecisionRecallCurve
    from .retrieval_curves import RetrievalRecallAtFixedPrecision as RetrievalRecallAtFixedPrecision
    from .retrieval_curves import InterpolatedPrecision as InterpolatedPrecision
    from .users import RankBiasedPrecision as RankBiasedPrecision
    from .users import ExpectedReciprocalRank as ExpectedReciprocalRank
    from .judgments import BPref as BPref
    from .judgments import InferredAP as InferredAP
    from .judgments import JudgedAtK as JudgedAtK
    from .diversity import AlphaNDCG as AlphaNDCG
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
