"""Cross-validation with scikit-learn: a score per fold, and one over all folds.

python examples/cross_validation.py
"""

from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate

import mmeval_like as mm

inputs, labels = load_iris(return_X_y=True)
model = LogisticRegression(max_iter=1000)
folds = StratifiedKFold(5, shuffle=True, random_state=0)

# One score per fold.
metrics = mm.MetricCollection({"acc": mm.Accuracy(), "loss": mm.LogLoss()})
scoring = mm.integrations.Scorer(metrics, "predict_proba")
found = cross_validate(model, inputs, labels, scoring=scoring, cv=folds)
print(found["test_acc_top1"].tolist())

# All folds together: the overall value of metrics that are not means, such as AUROC.
for train, test in folds.split(inputs, labels):
    model.fit(inputs[train], labels[train])
    metrics.add(model.predict_proba(inputs[test]), labels[test], ids=test)
print(metrics.compute(size=len(labels)))
