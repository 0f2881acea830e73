"""MMOCR's evaluators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like.integrations.openmmlab.adapter import Adapter, array_of

__all__ = ["CharMetric", "F1Metric", "HmeanIOUMetric", "WordMetric"]

# What a text is without, as in MMOCR: all but letters, digits, Chinese characters, and "^".
_SYMBOLS = "[^A-Z^a-z^0-9^\u4e00-\u9fa5]"
_MODES = {"exact": "", "ignore_case": "ignore_case_", "ignore_case_symbol": "ignore_case_symbol_"}


class WordMetric(Adapter):
    """`mmocr.WordMetric`: the share of texts that are right."""

    default_prefix = "recog"
    digits = 4

    def __init__(
        self,
        mode: str | Sequence[str] = "ignore_case_symbol",
        valid_symbol: str = _SYMBOLS,
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        given = [mode] if isinstance(mode, str) else [*mode]
        self.modes = [one for one in _MODES if one in given]
        if not self.modes or not set(given) <= _MODES.keys():
            raise ValueError(f"mode must be of {', '.join(_MODES)}, got {mode!r}")
        super().__init__(mm.WordAccuracy(self.modes, valid_symbol), prefix, collect_device)

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the texts."""
        return _texts(data_samples)

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the share of every mode, in a fixed order."""
        names = {
            mode: f"word_acc_{mode}" if start else "word_acc" for mode, start in _MODES.items()
        }
        return {names[mode]: result[f"{_MODES[mode]}accuracy"] for mode in self.modes}


class CharMetric(Adapter):
    """`mmocr.CharMetric`: the shares of characters that are found, and that are right."""

    default_prefix = "recog"
    digits = 4

    def __init__(
        self,
        valid_symbol: str = _SYMBOLS,
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        metric = mm.CharRecallPrecision("lower", valid_symbol)
        super().__init__(metric, prefix, collect_device)

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the texts."""
        return _texts(data_samples)

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the two shares."""
        return {f"char_{name}": result[name] for name in ("recall", "precision")}


class HmeanIOUMetric(Adapter):
    """`mmocr.HmeanIOUMetric`: precision, recall and their mean, at the best score threshold."""

    default_prefix = "icdar"

    def __init__(
        self,
        match_iou_thr: float = 0.5,
        ignore_precision_thr: float = 0.5,
        pred_score_thrs: Mapping[str, float] | None = None,
        strategy: Any = "vanilla",
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        # As numpy counts there: the last threshold may be beyond `stop` by rounding.
        span: Any = pred_score_thrs or {"start": 0.3, "stop": 0.9, "step": 0.1}
        thrs = np.arange(span["start"], span["stop"], span["step"])
        metric = mm.HmeanIoU(match_iou_thr, ignore_precision_thr, thrs.tolist(), strategy)
        super().__init__(metric, prefix, collect_device)

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the polygons, and the scores in float32."""
        found = [one["pred_instances"] for one in data_samples]
        truths = [one["gt_instances"] for one in data_samples]
        return {
            "batch_pred_polygons": [one["polygons"] for one in found],
            "batch_pred_scores": [np.asarray(array_of(one["scores"]), np.float32) for one in found],
            "batch_gt_polygons": [one["polygons"] for one in truths],
            "batch_gt_ignore_flags": [np.asarray(array_of(one["ignored"]), bool) for one in truths],
        }

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the numbers of the threshold with the best mean."""
        return {name: result["best"][name] for name in ("precision", "recall", "hmean")}


class F1Metric(Adapter):
    """`mmocr.F1Metric`: the F1 score of the classes of boxes."""

    default_prefix = "kie"

    def __init__(
        self,
        num_classes: int,
        key: str = "labels",
        mode: str | Sequence[str] = "micro",
        cared_classes: Sequence[int] = (),
        ignored_classes: Sequence[int] = (),
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        modes = [mode] if isinstance(mode, str) else [*mode]
        self.key, self.names = key, [f"{one}_f1" for one in ("macro", "micro") if one in modes]
        metric = mm.F1Score(num_classes, modes, cared_classes, ignored_classes)
        super().__init__(metric, prefix, collect_device)

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the classes of the boxes of every sample."""
        sides = {"predictions": "pred_instances", "labels": "gt_instances"}
        return {
            name: [array_of(one[side][self.key]).reshape(-1) for one in data_samples]
            for name, side in sides.items()
        }

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the scores."""
        return {name: result[name] for name in self.names}


def _texts(data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "predictions": [one["pred_text"]["item"] for one in data_samples],
        "groundtruths": [one["gt_text"]["item"] for one in data_samples],
    }
