"""`SubgroupBiclustering`: hidden groups of a class and the columns that separate them.

A fit goes through the files in this order:

1. `_estimator`: `SubgroupBiclustering` checks labels and kinds, and calls the steps.
2. `_table`: robust scores of the columns, an order of rows and columns that depends on content
   alone, and the backgrounds (leading components) that are removed in turn. One background and one
   class make a `SearchTask`. `_aside` takes off what known strata and covariates explain.
3. `_search`: seeds from single columns, trees and sets of columns; from them, rows are chosen by
   columns and columns by rows until nothing changes. With labels each class is searched, and all
   rows without the labels. `_kinds` defines the gain of a column for a group of each kind (shift,
   tight), and `_coexpression` is the search for the third kind. `_trees`, `_column_sets` (sets that
   grow from pairs) and `_value_groups` (rows with the same value) have further starts.
4. `_strength`: evidence for each group, on axes that were made without the rows that are judged;
   `_rates` has the likelihoods of shares.
5. `_list`: the strongest groups that are distinct, each with its class.
6. `_result`: each as a `Pattern` in the order of the user's table, with the axis by which
   `pattern_scores` judges rows.
"""
