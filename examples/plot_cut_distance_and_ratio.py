"""
How do the cut distance and the largest ratio matter?
=====================================================

Two parameters of the method decide whether it finds anything: T_d (``cut_distance``), the
height at which the rows of each column are cut into groups, and tau (``max_ratio``), the largest
MSR ratio of a pair. `BicNeuronClassifier` searches both along one path.
"""

# %%
# The grid of the paper, with three inner folds.

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer

from bicneuron import BicNeuronClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = BicNeuronClassifier(search="paper", cv=3, random_state=0).fit(X, y)
print(f"best: T_d = {model.best_params_['miner__cut_distance']}, ", end="")
print(f"tau = {model.best_params_['max_ratio']}, inner label AUC {model.best_score_:.3f}")

# %%
# The path
# --------
# From left to right more pairs pass the filter, from top to bottom groups are larger. Points of
# -inf had no pair in some fold and cannot be chosen. Scores that do not change along a line mean
# that the same pair is selected, however many pass the filter.

names = "param_miner__cut_distance", "param_max_ratio", "mean_test_score"
pd.DataFrame(model.cv_results_).pivot(index=names[0], columns=names[1], values=names[2])

# %%
# The candidates
# --------------
# Each point is a pair of the final model. A small ratio does not make a good classifier: the pair
# with the best score (the colour) is selected, and ties go to the smaller ratio.

pairs = model.pairs_
sizes, ratios = [pair.rows.size * pair.columns.size for pair in pairs], [p.msr_ratio for p in pairs]
plt.scatter(sizes, ratios, c=model.scores_)
plt.xlabel("cells of the bicluster")
plt.ylabel("MSR ratio")
plt.colorbar(label="label AUC")
