"""The metrics, in families: each family is a folder, which lists its names in its `__init__.py`.

These lines are read at run time (see `_base/names.py`) and by the documentation, and
`tools/stubs.py` writes the stubs for type checkers from them. A metric's module is imported when a
program first uses the metric. Such a module is also found without its family, as in MMEval:
`mmeval_like.metrics.bleu` is `mmeval_like.metrics.text.bleu`.
"""

from typing import TYPE_CHECKING

from mmeval_like._base.names import find_without_family, lazy_names

if TYPE_CHECKING:
    from .classification import *
    from .curves import *
    from .aggregation import *
    from .regression import *
    from .clustering import *
    from .retrieval import *
    from .agreement import *
    from .segmentation import *
    from .detection import *
    from .keypoints import *
    from .tracking import *
    from .image_quality import *
    from .features import *
    from .audio import *
    from .text import *
    from .language_models import *

    # Names that MMEval deprecated
    COCODetectionMetric = COCODetection
    F1Metric = F1Score
    MAE = MeanAbsoluteError
    MSE = MeanSquaredError
    MattingMSE = MattingMeanSquaredError
    MultiLabelMetric = MultiLabelPrecisionRecallF1score
    PSNR = PeakSignalNoiseRatio
    SAD = SumAbsoluteDifferences
    SNR = SignalNoiseRatio
    SSIM = StructuralSimilarity
    SingleLabelMetric = SingleLabelPrecisionRecallF1score
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
    find_without_family(__name__)
