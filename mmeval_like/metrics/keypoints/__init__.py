"""Metrics for poses, other points, and optical flow."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Keypoints and optical flow
    from .pck_accuracy import PCKAccuracy as PCKAccuracy
    from .pck_accuracy import MpiiPCKAccuracy as MpiiPCKAccuracy
    from .pck_accuracy import JhmdbPCKAccuracy as JhmdbPCKAccuracy
    from .keypoint_auc import KeypointAUC as KeypointAUC
    from .keypoint_end_point_error import KeypointEndPointError as KeypointEndPointError
    from .keypoint_nme import KeypointNME as KeypointNME
    from .coco_keypoints import CocoKeypoints as CocoKeypoints
    from .object_keypoint_similarity import ObjectKeypointSimilarity as ObjectKeypointSimilarity
    from .procrustes import MeanPerJointPositionError as MeanPerJointPositionError
    from .procrustes import ProcrustesDisparity as ProcrustesDisparity
    from .end_point_error import EndPointError as EndPointError
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
