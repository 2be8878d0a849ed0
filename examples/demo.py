"""Which columns mark the patients, and how far can they be trusted?

Makes a table of 100 rows and 1,000 columns in which most patients share a signature of 12 columns,
fits a network of ten readable patterns to it, scores it beside logistic regression on the same
folds, explains one row and writes a page about the model.
"""

from pathlib import Path

from bicneuron import BicNeuronNetwork
from bicneuron.datasets import make_subgroup
from bicneuron.metrics import cross_validated_scores
from bicneuron.report import write_report

PAGE = Path("demo.html")

X, y, group, signature = make_subgroup(as_frame=True, random_state=0)
planted = set(X.columns[signature])
print(f"{len(X)} rows, {(y == 'patient').sum()} of them patients, and {X.shape[1]} columns.")
print(f"Planted: {group.sum()} patients are shifted in {len(planted)} columns, marked * below.\n")

model = BicNeuronNetwork(design="readable", random_state=0).fit(X, y)
print(f"The five strongest of {len(model.patterns_)} patterns, with their most telling columns:\n")
for pattern in model.patterns_[:5]:
    names = X.columns[pattern.ranked_columns]
    shown = ", ".join(f"{name}*" if name in planted else name for name in names[:5])
    print(
        f"  {pattern.strength:4.0%}  {len(pattern.rows)} rows of "
        f"{pattern.anchor_class} against {len(pattern.contrast_rows)} of "
        f"{pattern.contrast_class}: {shown}, ..."
    )

scores = cross_validated_scores(model, X, y, n_repeats=5)
print(f"\nHow well does it do on rows that it has not seen?\n\n{scores}\n")
gap = scores.difference.mean
within = (
    "within .02 of" if abs(gap) <= 0.02 else f"{abs(gap):.3f} {'above' if gap > 0 else 'below'}"
)
print(f"The network is {within} logistic regression.")
print("Five patients do not show the signature, so that no model can do much better than .95.")

row = X[y == "patient"].head(1)
explanation = model.explain(row)[0]
print(f"\nWhy is row {explanation.row} a {explanation.predicted}? (+ speaks for patient)\n")
for part in explanation.patterns[:3]:
    print(f"  pattern {part.number}: {part.contribution:+.2f}")
    for column in part.columns[:3]:
        mark = "*" if column.feature in planted else " "
        print(
            f"    {column.feature}{mark} is {column.value:5.2f}; {part.anchor_class}s have "
            f"{column.anchor:5.2f}, {part.contrast_class}s {column.contrast:5.2f}"
        )

write_report(PAGE, model, X, y, scores=scores, overwrite=True)
print(f"\nThe whole model on one page: {PAGE.resolve()}")
