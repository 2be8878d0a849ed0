"""
How is it used in a pipeline and a grid search?
===============================================

Every estimator here is one of scikit-learn's kind: it can be a step of a pipeline, and all its
parameters, those of its miner and neuron too, can be searched.
"""

# %%
# A step of a pipeline
# --------------------
# Parameters of the parts are named with two underscores, as everywhere in scikit-learn. Here the
# search decides between two neurons and two sizes of residue, after a selection of columns.

from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from bicneuron import (
    BicNeuronClassifier,
    CoherentBiclustering,
    KernelPerceptron,
    OnlinePerceptron,
)
from bicneuron.inspection import ContrastDisplay, PathDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
classifier = BicNeuronClassifier(
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
# A picture of the last step is drawn from the data that this step sees.

best = search.best_estimator_
ContrastDisplay.from_estimator(best[-1], best[:-1].transform(X))

# %%
# Cut distance and ratio by hand
# ------------------------------
# `BicNeuronClassifierCV` searches these two much faster, along a path. But an ordinary grid search
# can be drawn in the same way.

search = GridSearchCV(
    classifier,
    {"miner__cut_distance": [0.3, 0.5, 0.8], "max_ratio": [0.7, 0.9, float("inf")]},
    cv=3,
    scoring="balanced_accuracy",
).fit(X, y)
PathDisplay.from_cv_results(search.cv_results_)
