"""
What are the patterns of a `PatternClassifier`?
===============================================

It has at most five patterns, and each is there because it predicts rows that it has
not seen. A pattern is a class or a group of rows, what it is held against, a few columns and a
neuron.
"""

# %%
# Fit, and list the patterns in the order in which they were chosen, with their share of the
# decision. Most neurons are straight lines; bells and kernels are there if they predict better.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from bicneuron import PatternClassifier
from bicneuron.inspection import ParallelCoordinatesDisplay

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target.map({0: "malignant", 1: "benign"})
network = PatternClassifier(random_state=0).fit(X, y)
for pattern in network.patterns_:
    names = ", ".join(X.columns[pattern.ranked_columns[:3]])
    print(f"{pattern.strength:4.0%}  {pattern.neuron.estimator}")
    print(f"      {len(pattern.columns)} columns: {names}, ...")
    print(f"      carried by {pattern.carrier_counts}")

# %%
# The first two patterns
# ----------------------
# A column in which the centroids are far apart separates the sides. Values are scaled.

shown = range(min(2, len(network.patterns_)))
figure, axes = plt.subplots(
    1, len(shown), figsize=(13, 5), layout="constrained", sharey=True, squeeze=False
)
for number, ax in zip(shown, axes[0], strict=True):
    ParallelCoordinatesDisplay.from_estimator(network, X, pattern=number, ax=ax)

# %%
# How a pattern scores the rows
# -----------------------------
# Rows with a positive score carry the pattern. The first pattern predicts best alone; each other
# one was added because it helps those before it. These are training rows: unseen ones overlap more.

scores = network.pattern_scores(X)
figure, axes = plt.subplots(
    1, scores.shape[1], figsize=(13, 3), layout="constrained", squeeze=False, sharey=True
)
for number, ax in enumerate(axes[0]):
    for label in network.classes_:
        ax.hist(scores[y == label, number], bins=30, alpha=0.6, label=label)
    ax.axvline(0, color="black", linewidth=1)
    ax.set(xlabel=f"score of pattern {number + 1}")
axes[0, 0].set(ylabel="rows")
axes[0, 0].legend()
