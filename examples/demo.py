"""Which columns mark the patients, and how far can they be trusted?

Makes a table of 100 rows and 1,000 columns in which most patients share a signature of 12 columns,
fits a readable network to it, shows its patterns, scores it beside logistic regression on the same
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
print("What the model is made of: its patterns, with the most telling column first.\n")
for number, pattern in enumerate(model.patterns_, start=1):
    carried = [
        f"{carriers} of {rows} {label}s"
        for label, (carriers, rows) in pattern.carrier_counts.items()
    ]
    names = X.columns[pattern.ranked_columns]
    shown = ", ".join(f"{name}*" if name in planted else name for name in names)
    print(f"  pattern {number}, {len(names)} columns: {shown}")
    print(f"  carried by {' and '.join(carried)}")

scores = cross_validated_scores(model, X, y, n_repeats=5)
print(f"\nHow well does it do on rows that it has not seen?\n\n{scores}\n")
gap = scores.difference.mean
print(f"The network is {abs(gap):.3f} {'above' if gap > 0 else 'below'} logistic regression.")
print("Five patients do not show the signature, so that no model can do much better than .95.")
print("The table is of the kind that the model is made for: an example, not a comparison.")

row = X[y == "patient"].head(1)
explanation = model.explain(row)[0]
print(f"\nWhy is row {explanation.row} a {explanation.predicted}? (+ speaks for patient)\n")
for part in explanation.patterns:
    print(f"  pattern {part.number}: {part.contribution:+.2f}")
    for column in part.columns[:5]:
        mark = "*" if column.feature in planted else " "
        print(
            f"    {column.feature}{mark} is {column.value:5.2f}; {part.anchor_class}s of the "
            f"pattern have {column.anchor:5.2f}, other rows {column.contrast:5.2f}"
        )

write_report(PAGE, model, X, y, scores=scores, overwrite=True)
print(f"\nThe whole model on one page: {PAGE.resolve()}")
