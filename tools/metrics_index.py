"""Write docs/metrics/README.md, or the page to standard output: all metrics, by domain.

Usage: python -m tools.metrics_index [--write]
"""

import inspect
import sys
from pathlib import Path

from mmeval_like import metrics

PAGE = Path(__file__).resolve().parents[1] / "docs" / "metrics" / "README.md"
GROUPS = {
    "Classification": [
        "Accuracy", "PrecisionRecallF1score", "SingleLabelPrecisionRecallF1score",
        "MultiLabelPrecisionRecallF1score", "F1Score", "ConfusionMatrix", "CohenKappa",
        "MatthewsCorrCoef", "AveragePrecision", "AUROC", "ROC", "PrecisionRecallCurve",
        "LogLoss", "BrierScore", "CalibrationError",
    ],
    "Regression": [
        "Mean", "RootMeanSquaredError", "R2Score", "PearsonCorrCoef", "SpearmanCorrCoef",
    ],
    "Segmentation and matting": [
        "MeanIoU", "SumAbsoluteDifferences", "MattingMeanSquaredError", "GradientError",
        "ConnectivityError",
    ],
    "Detection": [
        "COCODetection", "VOCMeanAP", "OIDMeanAP", "DOTAMeanAP", "AVAMeanAP", "ProposalRecall",
    ],
    "Keypoints and optical flow": [
        "PCKAccuracy", "MpiiPCKAccuracy", "JhmdbPCKAccuracy", "KeypointAUC",
        "KeypointEndPointError", "KeypointNME", "EndPointError",
    ],
    "Image quality": [
        "PeakSignalNoiseRatio", "SignalNoiseRatio", "StructuralSimilarity",
        "NaturalImageQualityEvaluator", "MeanAbsoluteError", "MeanSquaredError",
    ],
    "Text and text recognition": [
        "BLEU", "ROUGE", "Perplexity", "WordAccuracy", "CharRecallPrecision", "HmeanIoU",
    ],
}  # fmt: skip
HEAD = """\
# The metrics

Every metric gives the same bits on one process and on many. Its page has the formula, its source
and an example worked by hand; `help(name)` in Python has shapes, dtypes and errors.

Written from the docstrings by `python -m tools.metrics_index --write`.
"""


def page() -> str:
    """The whole page.

    Raises:
        LookupError: A metric that no group lists.
    """
    listed = {name for names in GROUPS.values() for name in names}
    if missing := set(metrics.__all__) - listed:
        raise LookupError(f"add to GROUPS in tools/metrics_index.py: {sorted(missing)}")
    lines = [HEAD]
    for group, names in GROUPS.items():
        rows = [row(name) for name in names if name in metrics.__all__]
        lines += [f"## {group}", "", "| metric | |", "|---|---|", *rows, ""]
    return "\n".join(lines).rstrip() + "\n"


def row(name: str) -> str:
    """One line of a table: the metric with a link to its page, and what its docstring says."""
    metric = getattr(metrics, name)
    text = (inspect.getdoc(metric) or "").partition("\n")[0]
    text = text.replace("|", "\\|").replace("*", "\\*")
    return f"| [{name}]({page_of(name)}) | {text} |"


def page_of(name: str) -> str:
    """The file name of a metric's page: that of its module."""
    return f"{getattr(metrics, name).__module__.rpartition('.')[2]}.md"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
