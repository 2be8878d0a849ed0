"""
Which patients share which columns?
===================================

A disease may have several forms: some of the patients show a signature that the other patients and
the controls lack. `SubgroupBiclustering` looks for such groups.
"""

# %%
# A table of 50 patients and 50 controls. 15 of the patients are shifted by two standard deviations
# in 12 of 1,000 columns. No test over the whole class would notice them.

import matplotlib.pyplot as plt

from bicneuron import SubgroupBiclustering
from bicneuron.datasets import make_subgroup
from bicneuron.inspection import SubgroupDisplay

X, y, in_group, in_signature = make_subgroup(group_shape=(15, 12), as_frame=True, random_state=0)
miner = SubgroupBiclustering().fit(X, y)
for group in miner.patterns_[:3]:
    print(f"strength {group.strength:5.1f}: {group.carrier_counts}, {len(group.columns)} columns")

# %%
# The first pattern is the planted group; the others are noise, as their strengths say.

first = miner.patterns_[0]
print(f"{in_group[first.rows].sum()} of its {len(first.rows)} rows were planted,")
print(f"{in_signature[first.columns].sum()} of its {len(first.columns)} columns.")

# %%
# A group and noise
# -----------------
# The first pattern on the left. On the right another one: its carriers differ less from the rows
# below them, and the scores pass the cut without a gap.

figure, axes = plt.subplots(1, 2, figsize=(15, 6), layout="constrained")
SubgroupDisplay.from_estimator(miner, X, y, ax=axes[0], colorbar=False)
SubgroupDisplay.from_estimator(miner, X, y, pattern=1, ax=axes[1])
