"""
What does a contrastive pair look like?
=======================================

A *bicluster* is a set of rows that move together over a set of columns. A *contrastive pair* is a
bicluster of one class and the rows of the other class that are nearest to it in the same columns.
Here a bicluster is planted in one class, so that the right answer is known.
"""

# %%
# The data
# --------
# 300 rows of noise in 20 columns. In 60 rows of class "sick", 12 columns follow a common profile,
# each row a little above or below it.

import numpy as np

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.datasets import make_additive_biclusters
from bicneuron.inspection import ContrastDisplay, ParallelCoordinatesDisplay

X, planted_rows, planted_columns = make_additive_biclusters(
    (300, 20), level=1.0, noise=0.15, row_effect=0.5, random_state=0
)
y = np.where(planted_rows[0], "sick", "healthy")
y[np.flatnonzero(y == "healthy")[:40]] = "sick"

# %%
# The pair
# --------
# The classifier mines the smaller class, pairs each bicluster with the nearest healthy rows and
# selects the pair whose neuron does best.

model = BicNeuronClassifier(
    search=None,
    miner=CoherentBiclustering(search="prune", max_residue=0.1, add_rows=True),
    random_state=0,
).fit(X, y)
pair = model.selected_pair_
print(pair)
print("planted columns among them:", np.isin(pair.columns, np.flatnonzero(planted_columns)).sum())

# %%
# Two heat maps
# -------------
# On the same colour scale the bicluster shades evenly from one corner to the other: its rows differ
# by constants, and so do its columns. That is what a small mean squared residue (MSR) means. The
# nearest rows of the other class show no such structure, so the ratio of the two residues is small.

ContrastDisplay.from_estimator(model, X)

# %%
# Parallel coordinates
# --------------------
# The same pair as lines: rows of the bicluster run in parallel, those of the contrast cross.

ParallelCoordinatesDisplay.from_estimator(model, X)
