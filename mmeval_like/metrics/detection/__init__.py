"""Detection metrics for boxes and masks."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Detection
    from .coco_detection import COCODetection as COCODetection
    from .lvis_detection import LVISDetection as LVISDetection
    from .voc_mean_ap import VOCMeanAP as VOCMeanAP
    from .oid_mean_ap import OIDMeanAP as OIDMeanAP
    from .dota_mean_ap import DOTAMeanAP as DOTAMeanAP
    from .ava_mean_ap import AVAMeanAP as AVAMeanAP
    from .proposal_recall import ProposalRecall as ProposalRecall
    from .log_average_miss_rate import LogAverageMissRate as LogAverageMissRate
    from .box_iou import IntersectionOverUnion as IntersectionOverUnion
    from .box_iou import GeneralizedIntersectionOverUnion as GeneralizedIntersectionOverUnion
    from .box_iou import DistanceIntersectionOverUnion as DistanceIntersectionOverUnion
    from .box_iou import CompleteIntersectionOverUnion as CompleteIntersectionOverUnion
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
