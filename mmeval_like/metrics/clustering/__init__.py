"""Clustering metrics, and the association between two groupings of the same samples."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Clustering and association
    from .mutual_info_score import MutualInfoScore as MutualInfoScore
    from .mutual_info_score import NormalizedMutualInfoScore as NormalizedMutualInfoScore
    from .mutual_info_score import AdjustedMutualInfoScore as AdjustedMutualInfoScore
    from .rand_score import RandScore as RandScore
    from .rand_score import AdjustedRandScore as AdjustedRandScore
    from .rand_score import FowlkesMallowsIndex as FowlkesMallowsIndex
    from .rand_score import PairConfusionMatrix as PairConfusionMatrix
    from .v_measure_score import HomogeneityScore as HomogeneityScore
    from .v_measure_score import CompletenessScore as CompletenessScore
    from .v_measure_score import VMeasureScore as VMeasureScore
    from .cluster_accuracy import ClusterAccuracy as ClusterAccuracy
    from .cluster_accuracy import Purity as Purity
    from .calinski_harabasz_score import CalinskiHarabaszScore as CalinskiHarabaszScore
    from .davies_bouldin_score import DaviesBouldinScore as DaviesBouldinScore
    from .davies_bouldin_score import DunnIndex as DunnIndex
    from .davies_bouldin_score import SilhouetteScore as SilhouetteScore
    from .cramers_v import CramersV as CramersV
    from .cramers_v import TschuprowsT as TschuprowsT
    from .cramers_v import PearsonsContingencyCoefficient as PearsonsContingencyCoefficient
    from .cramers_v import TheilsU as TheilsU
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
