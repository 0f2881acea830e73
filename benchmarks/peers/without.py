"""The metrics that have no row in any table, and why."""

from __future__ import annotations

__all__ = ["WITHOUT"]

_NO_PACKAGE = "no package that the benchmarks install has it"
_NETWORK = "a neural network, the same in both packages, takes nearly all of the time"

WITHOUT: dict[str, str] = {
    "AlphaNDCG": _NO_PACKAGE,
    "CIDEr": _NO_PACKAGE,
    "ConcatenatedWER": _NO_PACKAGE,
    "DeepImageStructureAndTextureSimilarity": _NETWORK,
    "DiarizationErrorRate": _NO_PACKAGE,
    "DropF1": _NO_PACKAGE,
    "LearnedPerceptualImagePatchSimilarity": _NETWORK,
    "LogAverageMissRate": _NO_PACKAGE,
    "PerceptualEvaluationSpeechQuality": "pesq, which all packages call, takes nearly all of the "
    "time",
    "PrecisionRecallF1score": "it makes one of two metrics that have rows",
    "SARI": _NO_PACKAGE,
    "VarianceComponents": _NO_PACKAGE,
}
