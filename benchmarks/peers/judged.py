"""The rows of metrics of rankings, of language models and of raters that few packages have."""

from __future__ import annotations

from typing import Any

from benchmarks.peers.data import CLASSES
from benchmarks.peers.packages import Row
from benchmarks.peers.plain import (
    agreement,
    alpha,
    bert_score,
    bias,
    bits_per_byte,
    g_pass,
    icc,
    majority,
    mass,
    pass_at,
    pass_hat,
    plain,
    powered,
    ranked,
    trec,
    win_rate,
)

__all__ = ["JUDGED"]

C: Any = {"num_classes": CLASSES}
COUNTS: Any = {**C, "mode": "counts"}
TEN: Any = {"top_k": 10}
FIVE: Any = {"k": 5}
SCIPY = "scipy"
HALF: Any = {"k": 5, "tau": 0.5}

# What bounds ours where it is slower.
ONCE = (
    "fifty calls of `add`, each of which checks and counts its batch; the peer takes all numbers "
    "in one call, unchecked"
)
EACH = "the embeddings of each pair are checked, and scaled to length 1 without overflow"
CODES = "each combination of ratings is counted, as intervals need it"
TIES = (
    "lists may have any length and are checked, and equal scores count as the mean of their orders"
)

# fmt: off
JUDGED = [
    Row("BPref", "sums", "queries", {}, [trec("bpref")]),
    Row("InterpolatedPrecision", "sums", "queries", {}, [trec("iprec_at_recall")], compared=False),
    Row("InferredAP", "sums", "queries", {}, [trec("infAP")]),
    Row("RankBiasedPrecision", "sums", "relevant", {}, [plain(ranked, "rbp")], TIES),
    Row("ExpectedReciprocalRank", "sums", "queries", {"max_gain": 4}, [plain(ranked, "err")], TIES),
    Row("JudgedAtK", "sums", "queries", TEN, [plain(ranked, "judged")], TIES),
    Row("RetrievalFBeta", "sums", "relevant", TEN, [plain(ranked, "f1")], TIES),
    Row("PassAtK", "counts", "attempts", FIVE, [plain(pass_at, 5, package=SCIPY)], ONCE),
    Row("PassHatK", "counts", "attempts", FIVE, [plain(pass_hat, 5, package=SCIPY)], ONCE),
    Row("GPassAtK", "counts", "attempts", HALF, [plain(g_pass, 5, package=SCIPY)], ONCE, compared=False),
    Row("MajorityVote", "sums", "votes", {}, [plain(majority, package="Counter")], compared=False),
    Row("BitsPerByte", "sums", "logarithms", {}, [plain(bits_per_byte)]),
    Row("MultipleChoiceMass", "sums", "choices", {}, [plain(mass, package=SCIPY)]),
    Row("WinRate", "counts", "outcomes", {}, [plain(win_rate)], ONCE),
    Row("PositionBias", "counts", "verdicts", {}, [plain(bias)], ONCE),
    Row("PredictionPoweredMean", "sums", "judged", {}, [plain(powered)]),
    Row("GwetAC", "counts", "ratings", COUNTS, [plain(agreement, "gwet")], CODES),
    Row("BrennanPrediger", "counts", "ratings", COUNTS, [plain(agreement, "brennan")], CODES),
    Row("PercentAgreement", "counts", "ratings", COUNTS, [plain(agreement, "percent")], CODES),
    Row("KrippendorffAlpha", "counts", "raters", C, [plain(alpha)], CODES),
    Row("IntraclassCorrelation", "sums", "grades", {"raters": 4}, [plain(icc)]),
    Row("BERTScore", "sums", "embeddings", {}, [plain(bert_score)], EACH),
]
# fmt: on
