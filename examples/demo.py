"""Which cells and which measurements distinguish benign from malignant tumours?

Fits a `BicNeuronClassifier` on the Wisconsin breast cancer data that scikit-learn ships, tests it
on held-out rows, and shows the contrastive pair that decides.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from bicneuron import BicNeuronClassifier
from bicneuron.metrics import label_auc, score_auc

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)

model = BicNeuronClassifier(random_state=0).fit(X_train, y_train)

found = model.diagnostics_
pair = model.selected_pair_
print(f"Wisconsin breast cancer: {len(X_train)} training rows x {X.shape[1]} columns\n")
print(f"  {found.n_seeds:4} seeds")
print(f"  {found.n_pairs:4} coherent biclusters in class {pair.anchor_class!r}")
print(f"  {found.n_kept:4} contrastive pairs with an MSR ratio <= {model.max_ratio}")
print(f"       ratios from {found.best_ratio:.3g} to {found.worst_ratio:.3g} before the filter\n")

print(
    f"The pair that decides: {len(pair.anchor_rows)} {pair.anchor_class} rows against their "
    f"{len(pair.contrast_rows)} nearest others, MSR ratio {pair.msr_ratio:.3f}\n"
)
scaled = (X_train - X_train.min()) / (X_train.max() - X_train.min())
names = model.feature_names_in_[pair.columns]
weights = model.estimator_.coef_[0]
print(f"  {'column (scaled 0 to 1)':26} {pair.anchor_class:>10} {'contrast':>10} {'weight':>8}")
for k in np.argsort(-np.abs(weights)):
    anchor_mean = scaled[names[k]].iloc[pair.anchor_rows].mean()
    contrast_mean = scaled[names[k]].iloc[pair.contrast_rows].mean()
    print(f"  {names[k]:26} {anchor_mean:10.2f} {contrast_mean:10.2f} {weights[k]:+8.2f}")
print(f"\n  score > 0 means {model.classes_[1]}; intercept {model.estimator_.intercept_[0]:+.2f}\n")

predicted, scores = model.predict(X_test), model.decision_function(X_test)
print(f"On {len(X_test)} unseen rows: accuracy {np.mean(predicted == y_test):.3f}, ", end="")
print(f"label AUC {label_auc(y_test, predicted):.3f}, score AUC {score_auc(y_test, scores):.3f}")
