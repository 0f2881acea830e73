"""What bounds our time where a peer is faster: the rows that share a reason, in its words.

The microseconds are those of one batch, the best of many.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["BOUNDS"]

_POSES = (
    "each `add` checks and scores its poses, in about fifty numpy calls; the peer keeps the arrays "
    "and scores them all at the end"
)
_ONE_CALL = (
    "fifty calls of `add`, 13 us each for checks, scores and a copy, and 150 us for the result; "
    "the peer takes all numbers in one call"
)
_LOGARITHMS = (
    "fifty calls of `add`, 14 to 25 us each for checks, the formula and a copy, and 130 us for the "
    "result; the peer takes all numbers in one call"
)
_UPDATES = (
    "each `add` checks for nan, copies its numbers and sums them exactly, in 20 us; the peer adds "
    "rounded sums without checks"
)
_PLAIN = (
    "each `add` takes 13 us: 5 for the exact sum, and 8 to read, copy and store the batch; the "
    "peer adds one rounded sum"
)
_MOMENTS = (
    "exact sums of products: each number is split into three or four slices, and every pair of "
    "slices is multiplied; the peer rounds each product"
)
_HALVES = (
    "the pixels of each image are summed by halving, in an order that no batch or processor "
    "changes, in about fifteen numpy calls; the peer calls numpy's mean once"
)
_MATTES = (
    "values are checked for nan and infinities and summed by halving; the two exact sums of the "
    "result take 80 us, twice as long as the peer takes in total"
)
_FILTERS = (
    "images are filtered by sums of shifted images, in an order that no processor changes; the "
    "peer calls compiled filters"
)
_DISTANCES = (
    "both call rapidfuzz; the texts are also checked, stripped and measured, which takes as long"
)
_CENTRES = (
    "the centres of clusters are exact sums, and points are sorted by cluster; the peer rounds "
    "the means"
)
_KERNELS = (
    "kernels are computed in float64, a few rows at a time to save memory, and summed exactly"
)

_SHARED: dict[str, Iterable[str]] = {
    _POSES: (
        "PCKAccuracy",
        "KeypointAUC",
        "KeypointEndPointError",
        "KeypointNME",
        "MpiiPCKAccuracy",
        "JhmdbPCKAccuracy",
    ),
    _ONE_CALL: ("MeanAbsoluteError", "MeanBias", "MeanSquaredError", "PinballLoss"),
    _LOGARITHMS: (
        "PoissonLoss",
        "MeanAbsolutePercentageError",
        "MeanSquaredLogError",
        "TweedieDevianceScore",
    ),
    _UPDATES: (
        "ClickThroughRate",
        "LogCoshError",
        "MinkowskiDistance",
        "SymmetricMeanAbsolutePercentageError",
        "WeightedCalibration",
        "WeightedMeanAbsolutePercentageError",
    ),
    _PLAIN: ("Mean", "Sum"),
    _MOMENTS: (
        "ExplainedVariance",
        "IntraclassCorrelation",
        "KlingGuptaEfficiency",
        "PearsonCorrCoef",
        "R2Score",
        "RelativeSquaredError",
        "RootMeanSquaredError",
    ),
    _HALVES: ("PeakSignalNoiseRatio", "SignalNoiseRatio"),
    _MATTES: ("MattingMeanSquaredError", "SumAbsoluteDifferences"),
    _FILTERS: ("GradientError", "StructuralSimilarity"),
    _DISTANCES: ("ANLS", "EditDistance", "NormalizedEditSimilarity"),
    _CENTRES: ("DaviesBouldinScore", "DunnIndex"),
    _KERNELS: ("HilbertSchmidtIndependence", "KernelInceptionDistance"),
}

BOUNDS: dict[str, str] = {name: text for text, names in _SHARED.items() for name in names} | {
    "AreaUnderCurve": "points of equal x are sorted by y; sorting by two columns takes nine tenths "
    "of the time",
    "BrierDecomposition": "fifty calls of `add`, 70 us each to check probabilities and labels and "
    "to find bins by their exact edges; the peer takes all numbers in one call, unchecked",
    "CalinskiHarabaszScore": "the features of each cluster, and their squares in two parts, are "
    "summed exactly, in 330 us for a batch of 16,000 numbers",
    "CalibrationError": "confidences are summed exactly in each bin, and the ranges of "
    "probabilities and classes are checked",
    "Cat": "values are copied, because callers may change their array later; the peer keeps the "
    "arrays themselves",
    "CosineSimilarity": "vectors are scaled so that no length overflows, and products are summed "
    "by halving: ten passes; the peer makes five",
    "Covariance": "exact sums of products: sixteen times as many multiplications as the rounded "
    "matrix product of the peer",
    "CoverageError": "labels are checked and scores are ranked in fifty batches; the peer takes "
    "all of them in one call",
    "D2TweedieScore": "labels and predictions are kept in order, and `math.fsum` of the deviances "
    "takes two thirds of the time; the peer rounds",
    "FrechetInceptionDistance": "features are rounded to integers, whose products are summed "
    "exactly",
    "GoogleBLEU": "texts are checked before their n-grams are counted, which both do in Python",
    "IntervalScore": "fifty calls of `add`, 40 us each to check and score three columns, and three "
    "exact sums; the peer takes all numbers in one call, unchecked",
    "KLDivergence": "rows are checked and scaled to sum to 1, with logarithms of both inputs and "
    "sums by halving",
    "KolmogorovSmirnov": "scores are checked, copied, and sorted together with their labels; the "
    "peer takes the two samples apart",
    "MajorityVote": "each answer is checked for being missing, and ties share the point; the peer "
    "only counts",
    "MeanAbsoluteScaledError": "each series is checked and summed by halving",
    "MedianAbsoluteError": "pairs are copied and kept for all ranks, and the middle is found from "
    "the bits of the errors; the peer partitions one array",
    "MultipleChoiceMass": "labels and lists are checked, and the choices of each question are "
    "summed by halving, in fifty batches; the peer takes all arrays in one call",
    "NIST": "n-grams become codes, so that ranks add up counts without exchanging texts",
    "NormalizedEntropy": "two logarithms of each number in float64, and three exact sums of each "
    "batch",
    "Perplexity": "exponentials are computed in float64 and summed by halving; the peer keeps "
    "float32",
    "PrecisionRecallDensityCoverage": "distances that are nearly equal are computed again exactly, "
    "so that their order is the same on every processor",
    "PredictionPoweredMean": "eleven exact sums, eight of them of the two parts of products, in "
    "270 us for a batch; the peer rounds four, of all samples at once",
    "ProcrustesDisparity": "shapes are scaled so that no square overflows, and summed by halving",
}
"""The reason by the first word of a row's name, for rows without a remark of their own."""
