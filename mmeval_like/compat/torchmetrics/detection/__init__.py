"""torchmetrics.detection: the average precision of boxes and masks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torchmetrics.detection as _original
from torchmetrics.detection.mean_ap import MeanAveragePrecision as _MeanAveragePrecision

from mmeval_like.compat.torchmetrics.detection.found_classes import FoundClasses
from mmeval_like.compat.torchmetrics.exchanged import Exchanged, fitting, named, refuse

_FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
_WHOLE = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool)
# Programs filter it by its first words.
_MANY = (
    "Encountered more than {} detections in a single image. Those of the lowest scores do not "
    "count; max_detection_thresholds= takes more"
)
_DTYPES = {"scores": _FLOATS, "labels": _WHOLE, "masks": (torch.uint8, torch.bool)}


class _Boxes(Exchanged):
    """COCO's values of boxes or masks, or both; the classes are those that occur."""

    box_format: str
    iou_type: tuple[str, ...]
    iou_thresholds: list[float]
    rec_thresholds: list[float]
    max_detection_thresholds: list[int]
    class_metrics: bool
    extended_summary: bool
    average: str
    warn_on_many_detections: bool

    def _engine(self, **options: Any) -> Any:
        if self.extended_summary:
            raise TypeError(
                "extended_summary must be False: the overlaps of boxes stay on their ranks; for "
                "them, give the images to torchmetrics' own class"
            )
        return FoundClasses(
            tuple(dict.fromkeys(self.iou_type)),
            self.iou_thresholds,
            self.rec_thresholds,
            self.max_detection_thresholds,
            pooled=self.average == "micro",
            by_class=self.class_metrics,
            **options,
        )

    def tm_to_coco(self, *args: Any, **kwargs: Any) -> None:
        """Refuse to write boxes: there are none, only their matches."""
        raise TypeError(
            "tm_to_coco writes boxes, of which mmeval_like keeps only the matches: give the images "
            "to torchmetrics' own class"
        )

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        refuse(not isinstance(preds, Sequence) or not isinstance(target, Sequence))
        refuse(len(preds) != len(target))
        found = [self._image(image, ("scores", "labels")) for image in preds]
        most = max(self.max_detection_thresholds)
        if self.warn_on_many_detections and any(len(one["labels"]) > most for one in found):
            warnings.warn(_MANY.format(most), UserWarning, stacklevel=4)
        return found, [self._image(image, ("labels",), ("iscrowd", "area")) for image in target]

    def _image(
        self, image: Any, keys: tuple[str, ...], optional: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """Return what counts of an image, with boxes of x, y, width, height, and RLEs."""
        shapes = [{"bbox": "boxes", "segm": "masks"}[kind] for kind in self.iou_type]
        refuse(not isinstance(image, Mapping))
        refuse(not all(isinstance(image.get(key), torch.Tensor) for key in (*shapes, *keys)))
        refuse(len({len(image[key]) for key in (*shapes, *keys)}) > 1)
        for key, dtypes in _DTYPES.items():
            if key in (*shapes, *keys) and len(image[key]) and image[key].dtype not in dtypes:
                *most, last = map(_name, dtypes)
                wanted = f"{', '.join(most)} or {last}"
                raise TypeError(f"{key} must be of {wanted}, got {_name(image[key].dtype)}")
        found = {key: image[key] for key in (*keys, *optional) if key in image}
        found["boxes"] = torch.zeros(len(image["labels"]), 4)
        if "boxes" in shapes and len(image["boxes"]):
            from torchvision.ops import box_convert  # torchmetrics has looked for it

            found["boxes"] = box_convert(image["boxes"], self.box_format, "xywh")
        if "masks" in shapes and len(image["masks"]):
            from pycocotools.mask import encode

            refuse(image["masks"].ndim != 3)
            masks = (image["masks"] != 0).permute(1, 2, 0).cpu().numpy()
            found["masks"] = encode(np.asfortranarray(masks, np.uint8))
        return found

    def _value(self, result: Mapping[str, Any]) -> Any:
        prefix = f"{self.iou_type[0]}_" if len(self.iou_type) == 1 else ""
        return {name.removeprefix(prefix): value for name, value in result.items()}

    def _tensor(self, value: Any) -> Any:
        found = super()._tensor(value)
        return found | {"classes": found["classes"].int()} if isinstance(value, dict) else found


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


_ours = named(__name__, [fitting(_MeanAveragePrecision, _Boxes)])
globals().update(_ours)
__all__ = [*_ours]


def __getattr__(name: str) -> Any:
    """Return torchmetrics' own class, where there is none of ours."""
    return getattr(_original, name)
