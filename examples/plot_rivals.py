"""
How does it compare with its rivals?
====================================

On one data set a ROC curve shows more than an accuracy. Over several data sets, mean ranks and
pairwise tests show which differences are significant.
"""

# %%
# One data set
# ------------
# ROC curves on test rows.

import matplotlib.pyplot as plt
import pandas
from scikit_posthocs import critical_difference_diagram, posthoc_nemenyi_friedman
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import RocCurveDisplay
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import BicNeuronClassifier, BicNeuronNetwork
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.datasets import make_ringnorm, make_twonorm


def fit_all(X, y):
    """Fit each model to the same rows."""
    models = {
        "network": BicNeuronNetwork(n_neurons=60, random_state=0),
        "one pair": BicNeuronClassifier(
            search=None, miner=ContrastBiclustering(), max_ratio=float("inf"), random_state=0
        ),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
        "random forest": RandomForestClassifier(50, random_state=0),
    }
    return {name: model.fit(X, y) for name, model in models.items()}


X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
figure, ax = plt.subplots()
for name, model in fit_all(X_train, y_train).items():
    RocCurveDisplay.from_estimator(model, X_test, y_test, name=name, ax=ax)

# %%
# Several data sets
# -----------------
# Accuracies on one half of the rows after training on the other. A bar joins models that do not
# differ significantly by Nemenyi's test: with so few data sets, these are all models.

problems = {
    "breast cancer": (X, y),
    "twonorm": make_twonorm(200, random_state=0),
    "ringnorm": make_ringnorm(200, random_state=0),
    "wine": load_wine(return_X_y=True),
    "iris": load_iris(return_X_y=True),
}
scores = {}
for name, (X, y) in problems.items():
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=0
    )
    scores[name] = {
        model: fitted.score(X_test, y_test) for model, fitted in fit_all(X_train, y_train).items()
    }
table = pandas.DataFrame(scores).T
mean_ranks = table.rank(axis=1, ascending=False).mean()
figure, ax = plt.subplots(figsize=(7, 2.5))
critical_difference_diagram(mean_ranks, posthoc_nemenyi_friedman(table), ax=ax)
