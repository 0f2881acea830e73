"""Rankings query by query against trec_eval."""

from typing import Any

import numpy as np

import mmeval_like as mm
from tests.helpers import requires


def trec(rng: np.random.Generator, count: int) -> tuple[Any, ...]:
    """Lists with many ties, ids, documents that were not judged, and judged ones not retrieved."""
    scores, labels, names, judged = [], [], [], []
    for _ in range(count):
        pool = [f"d{i}" for i in rng.permutation(60)]
        size, known = int(rng.integers(1, 30)), int(rng.integers(1, 40))
        gains = dict(
            zip(rng.permutation(pool)[:known].tolist(), rng.integers(0, 4, known), strict=True)
        )
        names.append(pool[:size])
        scores.append(rng.integers(0, 8, size) / 8)
        labels.append(np.array([gains.get(name, -1) for name in names[-1]]))
        judged.append(np.array(list(gains.values())))
        judged[-1].sort()
    return scores, labels, names, judged


def trec_eval(columns: tuple[Any, ...], measures: set[str]) -> list[dict[str, float]]:
    """What trec_eval says of every query."""
    pytrec_eval = requires("pytrec_eval")
    run, truth = {}, {}
    for place, (scores, labels, names, judged) in enumerate(zip(*columns, strict=True)):
        run[str(place)] = dict(zip(names, scores.tolist(), strict=True))
        found = {n: int(g) for n, g in zip(names, labels, strict=True) if g >= 0}
        rest = sorted(judged.tolist())
        for gain in found.values():
            rest.remove(gain)
        truth[str(place)] = found | {f"other{i}": gain for i, gain in enumerate(rest)}
    found = pytrec_eval.RelevanceEvaluator(truth, measures).evaluate(run)
    return [found[str(place)] for place in range(len(columns[0]))]


TREC = {
    "map": mm.RetrievalMAP(),
    "map_cut_5": mm.RetrievalMAP(top_k=5),
    "recip_rank": mm.RetrievalMRR(),
    "ndcg": mm.RetrievalNormalizedDCG(),
    "ndcg_cut_5": mm.RetrievalNormalizedDCG(top_k=5),
    "P_5": mm.RetrievalPrecision(top_k=5),
    "recall_5": mm.RetrievalRecall(top_k=5),
    "success_5": mm.RetrievalHitRate(top_k=5),
    "Rprec": mm.RetrievalRPrecision(),
}


def test_equals_trec_eval() -> None:
    """Query by query, with ids that decide between equal scores; empty queries are left out."""
    columns = trec(np.random.default_rng(0), 300)
    theirs = trec_eval(columns, {name.replace("_5", ".5") for name in TREC})
    relevant = np.array([(gains >= 1).any() for gains in columns[3]])
    for name, metric in TREC.items():
        [(_, ours)] = metric.per_sample(*columns).items()
        expected = np.array([found[name] for found in theirs])
        assert np.isnan(ours[~relevant]).all()
        np.testing.assert_allclose(ours[relevant], expected[relevant], rtol=1e-12, err_msg=name)
