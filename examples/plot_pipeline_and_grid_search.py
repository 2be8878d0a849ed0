"""
How is it used in a pipeline and a grid search?
===============================================

Every estimator follows scikit-learn's API: it can be a step of a pipeline, and all its parameters,
including those of its miner and neuron, can be searched.
"""

# %%
# A step of a pipeline
# --------------------
# Nested parameters are named with two underscores, as everywhere in scikit-learn. Here the search
# chooses between two neurons and two values of ``max_residue``, after a selection of columns.

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.inspection import ContrastDisplay
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
classifier = BicNeuronClassifier(
    search=None,
    miner=CoherentBiclustering(cut_distance=0.5, max_seeds=30),
    max_ratio=float("inf"),
    random_state=0,
)
pipeline = make_pipeline(SelectKBest(k=15), classifier).set_output(transform="pandas")
search = GridSearchCV(
    pipeline,
    {
        "bicneuronclassifier__miner__max_residue": [0.05, 0.1],
        "bicneuronclassifier__neuron": [
            OnlinePerceptron(average=True),
            KernelPerceptron(bandwidth=0.5, average=True),
        ],
    },
    cv=3,
    scoring="balanced_accuracy",
).fit(X, y)
print(f"balanced accuracy {search.best_score_:.3f} with {search.best_params_}")

# %%
# To plot the last step, give it the data transformed by the steps before it.

best = search.best_estimator_
ContrastDisplay.from_estimator(best[-1], best[:-1].transform(X))

# %%
# Cut distance and ratio by grid search
# -------------------------------------
# `BicNeuronClassifier` searches these two much faster, along a path, but an ordinary grid search
# works, too.

search = GridSearchCV(
    classifier,
    {"miner__cut_distance": [0.3, 0.5, 0.8], "max_ratio": [0.7, 0.9, float("inf")]},
    cv=3,
    scoring="balanced_accuracy",
).fit(X, y)
pd.DataFrame(search.cv_results_).pivot_table(
    values="mean_test_score", index="param_miner__cut_distance", columns="param_max_ratio"
)
