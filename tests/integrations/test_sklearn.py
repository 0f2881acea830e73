"""scikit-learn's own validations."""

import pickle

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers.optional import requires

selection = requires("sklearn.model_selection")
linear = requires("sklearn.linear_model")


def test_scorer():
    """The same numbers as its own accuracy; several as a dict; a scorer can be pickled."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    model = linear.LogisticRegression()
    expected = selection.cross_val_score(model, x, y, scoring="accuracy")

    for metric, method in ((mm.Accuracy(), "predict"), (mm.Accuracy(thrs=None), "predict_proba")):
        scorer = pickle.loads(pickle.dumps(mm.integrations.Scorer(metric, method)))
        assert selection.cross_val_score(model, x, y, scoring=scorer).tolist() == expected.tolist()

    both = mm.MetricCollection({"acc": mm.Accuracy(), "kappa": mm.CohenKappa(num_classes=2)})
    found = selection.cross_validate(model, x, y, scoring=mm.integrations.Scorer(both))
    assert found["test_acc_top1"].tolist() == expected.tolist()
    one = mm.integrations.Scorer(both, key="acc_top1")
    assert selection.cross_val_score(model, x, y, scoring=one).tolist() == expected.tolist()
    with pytest.raises(KeyError):
        mm.integrations.Scorer(both, key="top1")(model.fit(x, y), x, y)
