"""
Is a group more than chance?
============================

Every search finds groups, in noise too. A test says which of them belong to a class, and
which of their columns differ in rows that did not choose them.
"""

# %%
# A table of 50 cases and 50 controls. 15 of the cases are shifted in 10 of 200 columns. The groups
# are looked for without the labels, and tested with them.

import matplotlib.pyplot as plt

from bicneuron import SubgroupBiclustering
from bicneuron.datasets import make_subgroups
from bicneuron.inspection import SubgroupDisplay
from bicneuron.significance import column_evidence, significance_test, with_evidence

X, y, (planted,) = make_subgroups("shift", shift=2.5, n_columns=200, random_state=0)
miner = SubgroupBiclustering(kinds="shift", n_patterns=8).fit(X)
result = significance_test(miner, X, y, random_state=0)
print(result.summary())
print(result.words(0))

# %%
# The histogram is what chance gives: the clearest group in each order of the labels. One group
# stands apart from it.

plt.hist(result.null_statistic, bins=40, color="0.75", label="clearest group by chance")
plt.plot(result.statistic, range(10, 90, 10), "o", color="C1", label="groups")
plt.xlabel("-log10 of the probability of the carriers")
plt.legend()

# %%
# Which columns?
# --------------
# Each column is tested in rows that did not choose it: the search is repeated without each fold of
# the rows, and should find the group again in most of them. The intervals are of 95 %.

(columns,) = column_evidence(miner, X, y, patterns=[0], random_state=0)
columns.to_frame().head(10)

# %%
# The group, with what was found out about it.

tested = with_evidence(miner, result, columns=[columns])
SubgroupDisplay.from_estimator(tested, X, y)
