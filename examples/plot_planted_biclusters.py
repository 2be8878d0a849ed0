"""
Does the miner find planted biclusters?
=======================================

Three blocks are planted in a matrix of noise with shuffled rows and columns.
`CoherentBiclustering` is given the matrix alone.
"""

# %%
# Each planted block has 60 rows and 12 columns, with its own profile.

import matplotlib.pyplot as plt

from bicneuron import CoherentBiclustering
from bicneuron.datasets import make_additive_biclusters
from bicneuron.inspection import BiclusterDisplay
from bicneuron.metrics import best_match

X, rows, columns = make_additive_biclusters((300, 80), n_biclusters=3, random_state=0)
miner = CoherentBiclustering(search="prune", add_rows=True, max_seeds=30, random_state=0).fit(X)
cells = [len(found.rows) * len(found.columns) for found in miner.patterns_]
largest = cells.index(max(cells))
print(f"{len(miner.patterns_)} biclusters, the largest: {miner.patterns_[largest]}")

# %%
# Before and after
# ----------------
# On the left the matrix as given; on the right the same matrix, reordered so that one of the
# biclusters is a block.

figure, (before, after) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
before.imshow(X, aspect="auto", cmap="viridis")
before.set(title="as given", xlabel="columns", ylabel="rows")
BiclusterDisplay.from_estimator(miner, X, pattern=largest, ax=after)

# %%
# How well the best bicluster matches each planted block, cell by cell (1 is a perfect match):

for block in zip(rows, columns, strict=True):
    print(round(best_match(miner.patterns_, block), 2))
