"""What bounds our time where a peer is faster: the rows that share a reason, in its words.

The microseconds are those of one batch, the best of many.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["BOUNDS"]

_POSES = (
    "the poses of every batch are checked and scored when they are added, by some fifty calls of "
    "numpy; the peer keeps the arrays and scores all of them at the end"
)
_ONE_CALL = (
    "fifty adds, of which each checks, scores, copies and records its batch in 13 us, and a result "
    "in 150 us, exact sums included; one call of the peer gets all numbers, and takes two passes"
)
_LOGARITHMS = (
    "fifty adds, of which each checks, takes the formula, copies and records in 14 to 25 us, and a "
    "result in 130 us, exact sums included; one call of the peer gets all numbers"
)
_UPDATES = (
    "an add looks for nan, which the peer lets in, copies what it keeps, and sums it exactly, in "
    "20 us; the peer's update adds rounded numbers to what it has"
)
_PLAIN = (
    "an add takes 13 us: 5 for the exact sum, and 8 to read, copy and record the batch; the "
    "peer's update is one rounded sum, and an addition"
)
_MOMENTS = (
    "exact products: each number is cut into four slices of 20 bits, and all slices are "
    "multiplied, in 25 of the 40 us of an add; the peer rounds every product, in one pass each"
)
_HALVES = (
    "the pixels of an image are summed by halving, in one order for any batch and processor, in "
    "some fifteen calls of numpy; the peer's mean is one, in an order that numpy chooses"
)
_MATTES = (
    "alphas are looked at for nan and infinities, and summed by halving, in one order for any "
    "batch; two exact sums take 80 us more at the end, as long as the peer takes for all"
)
_FILTERS = (
    "images are filtered by sums of shifted images in numpy, in one order on every processor; "
    "the peer calls compiled filters"
)
_DISTANCES = (
    "the same rapidfuzz is called; around it texts are checked to be texts, stripped and measured, "
    "which takes as long"
)
_CENTRES = (
    "clusters' centres are exact sums, and points are sorted by cluster; the peer takes rounded "
    "means of the points as they lie"
)
_KERNELS = (
    "kernels are taken of some rows at a time, so that memory stays small, and in float64; their "
    "sums are added without rounding"
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
    "AreaUnderCurve": "points of equal x are sorted by y, and areas are added without rounding; "
    "the sort of two columns is nine tenths of the time",
    "BrierDecomposition": "fifty adds, of which each checks probabilities and labels, finds the "
    "bins by search among exact ends, and records three columns, in 70 us; one call of the peer "
    "gets all numbers, unchecked",
    "CalinskiHarabaszScore": "every feature is summed exactly in its cluster, by places, and the "
    "squares in two parts each, 330 us for a batch of 16,000 numbers",
    "CalibrationError": "confidences are summed exactly in every bin, and probabilities and "
    "classes are checked to be in range",
    "Cat": "values are copied, because a caller may write to his array after add; the peer keeps "
    "the arrays themselves",
    "CosineSimilarity": "float64 vectors are brought near 1 by powers of two, so that no length "
    "overflows, and products are summed by halving: ten passes in the cache; the peer takes five",
    "Covariance": "exact products: a matrix product of four slices of every column, sixteen times "
    "the multiplications of the peer's rounded one",
    "CoverageError": "labels are checked, and scores ranked, in fifty batches; one call of the "
    "peer gets all of them",
    "D2TweedieScore": "labels and predictions are copied and kept in order, and both deviances "
    "are added by math.fsum, two thirds of the time; the peer gets all arrays and rounds",
    "FrechetInceptionDistance": "features become integers, whose products are added in halves "
    "without rounding, and covariances are rounded once from Python's integers at the end",
    "GoogleBLEU": "predictions and references are checked to be texts; then both are counted in "
    "Python",
    "IntervalScore": "fifty adds, of which each checks three columns, scores, copies and records "
    "in 40 us, and sums three means exactly; one call of the peer gets all numbers, unchecked",
    "KLDivergence": "rows are checked and made to add up to 1, with a logarithm of every number of "
    "both inputs and sums by halving, and the quotients of both",
    "KolmogorovSmirnov": "scores are checked, copied, and sorted with their labels, for the ranks "
    "to merge; the peer gets both samples apart",
    "MajorityVote": "answers are looked at one by one for missing ones, and ties share the point; "
    "the peer counts them alone",
    "MeanAbsoluteScaledError": "each series is checked and summed by halving, in one order for any "
    "batch",
    "MedianAbsoluteError": "pairs are kept for all ranks to choose the middle from, and the two "
    "in the middle are found by bits; the peer partitions one array",
    "MultipleChoiceMass": "labels and lists are checked, choices of any number are summed by "
    "halving, and each batch anew; one call of the peer gets all arrays",
    "NIST": "n-grams become codes of their words, of which ranks add up the counts without any "
    "text",
    "NormalizedEntropy": "two logarithms a number in float64, and three exact sums of each batch",
    "Perplexity": "exponentials are taken of float64, twice the bytes of the logits, and those of "
    "every token summed by halving, in one order",
    "PrecisionRecallDensityCoverage": "distances that are too near to call are taken again "
    "without rounding products, so that equal vectors are equal on every processor",
    "PredictionPoweredMean": "eleven exact sums of each sample, four of them of products in two "
    "parts, 270 us for a batch; the peer rounds four, of all samples at once",
    "ProcrustesDisparity": "shapes are scaled so that no square overflows, and summed by halving, "
    "in one order for any batch",
}
"""The reason by the first word of a row's name, for rows without a remark of their own."""
