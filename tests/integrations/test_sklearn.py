"""scikit-learn's own validations."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from tests.helpers.optional import requires

selection = requires("sklearn.model_selection")
linear = requires("sklearn.linear_model")
metrics = requires("sklearn.metrics")


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


def _of_names(names, probabilities, known):
    """The scores of an estimator that has seen the labels `known`, in its own order of classes."""
    classes = np.unique(names[known])

    class Known:
        classes_ = classes

        def predict_proba(self, x):
            return probabilities[x][:, [[*names].index(one) for one in classes]]

    return Known()


@settings(max_examples=60, deadline=None)
@given(st.permutations(["ant", "bee", "cow", "dog"]), st.integers(2, 4), st.integers(0, 1 << 30))
def test_scores_are_in_the_order_of_the_metric(order, count, seed):
    """A classifier sorts its classes; the metric names them in any order. With names and with
    indices, and if some classes were not in the training set, the numbers are those of the
    probabilities in the metric's order, where such a class has the probability 0.
    """
    rng = np.random.default_rng(seed)
    names = np.array(order)
    labels = rng.integers(0, 4, 30)
    known = rng.choice(4, count, replace=False)
    probabilities = np.zeros((30, 4))
    probabilities[:, known] = rng.dirichlet(np.ones(count), 30)
    rows = np.arange(30)

    named = mm.Accuracy(classes=order, thrs=None, topk=1)
    estimator = _of_names(names, probabilities, known)
    expected = np.mean(probabilities.argmax(1) == labels)
    assert (
        mm.integrations.Scorer(named, "predict_proba")(estimator, rows, names[labels]) == expected
    )

    estimator = _of_names(np.arange(4), probabilities, known)
    scorer = mm.integrations.Scorer(mm.Accuracy(thrs=None, topk=1), "predict_proba")
    assert scorer(estimator, rows, labels) == expected


def test_labels_of_pandas():
    """A column of labels, and of categories, is as good as an array."""
    pandas = requires("pandas")
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    model = linear.LogisticRegression().fit(x, y)
    scorer = mm.integrations.Scorer(mm.Accuracy(thrs=None), "predict_proba")
    assert scorer(model, x, pandas.Series(y)) == model.score(x, y)
    named = pandas.Series(np.array(["b", "a", "c"])[y], dtype="category")
    scorer = mm.integrations.Scorer(
        mm.Accuracy(thrs=None, classes=["b", "a", "c"]), "predict_proba"
    )
    model = model.fit(x, named)
    assert scorer(model, x, named) == model.score(x, named)


def test_scores_of_one_column():
    """They are those of the estimator's second class, which must be class 1 of the metric."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 2))
    y = np.where(x[:, 0] + rng.normal(size=80) > 0, "no", "yes")
    model = linear.LogisticRegression().fit(x, y)

    sorted_ = mm.integrations.Scorer(mm.AUROC(classes=["no", "yes"]), "decision_function")
    assert sorted_(model, x, y) == pytest.approx(
        metrics.roc_auc_score(y == "yes", model.predict_proba(x)[:, 1])
    )
    reverse = mm.integrations.Scorer(mm.AUROC(classes=["yes", "no"]), "decision_function")
    with pytest.raises(ValueError, match="second class, which is class 0 of the metric"):
        reverse(model, x, y)
    with pytest.raises(TypeError, match="no names of classes are known"):
        mm.integrations.Scorer(mm.Accuracy(), "predict_proba")(model, x, y)


def test_scores_without_a_class():
    """A decision has no value for a class that was not in the training set."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(60, 2)), np.repeat([0, 1, 2, 3], 15)
    scorer = mm.integrations.Scorer(mm.Accuracy(thrs=None), "decision_function")
    model = linear.LogisticRegression().fit(x[:45], y[:45])
    assert scorer(model, x[:45], y[:45]) == model.score(x[:45], y[:45])
    with pytest.raises(ValueError, match="no scores of classes that are missing"):
        scorer(model, x, y)
    model = linear.LogisticRegression().fit(x, np.where(y == 0, -1, 1))
    with pytest.raises(ValueError, match="must be names, or integers from 0 on, got -1"):
        mm.integrations.Scorer(mm.Accuracy(), "predict_proba")(model, x, y)
    named = mm.Accuracy(classes=["2", "7", "10"])  # names, while the labels are numbers
    model = linear.LogisticRegression().fit(x, np.array([2, 7, 10])[y % 3])
    with pytest.raises(ValueError, match="classes_ has 10, and the metric the names of 3 classes"):
        mm.integrations.Scorer(named, "predict_proba")(model, x, y % 3)
