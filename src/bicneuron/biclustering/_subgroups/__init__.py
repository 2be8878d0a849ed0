"""`SubgroupBiclustering`: hidden groups of a class and the columns that separate them.

A fit (`_estimator`) prepares the table (`_table`; `_aside` takes off what known strata and
covariates explain), searches (`_search`, from `_starts` and `_column_sets`, with the gains that
`_kinds` defines), measures the evidence for each group (`_strength`), and lists the strongest that
are distinct (`_list`).
"""
