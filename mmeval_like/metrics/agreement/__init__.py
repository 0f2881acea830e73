"""Agreement between raters."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Agreement of raters
    from .chance_corrected import FleissKappa as FleissKappa
    from .krippendorff_alpha import KrippendorffAlpha as KrippendorffAlpha
    from .chance_corrected import GwetAC as GwetAC
    from .chance_corrected import BrennanPrediger as BrennanPrediger
    from .chance_corrected import PercentAgreement as PercentAgreement
    from .intraclass_correlation import IntraclassCorrelation as IntraclassCorrelation
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
