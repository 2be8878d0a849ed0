"""
Does a probability of 80 % mean four out of five?
=================================================

`BicNeuronNetwork` tests each neuron on rows that it was not trained on, and uses these scores to
calibrate its probabilities. A calibration curve shows how well they are calibrated.
"""

# %%
# The class of a row is drawn with a probability that depends on three of eight columns: a quarter
# of the classes cannot be known. 500 rows are for training, the others for the test.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.calibration import CalibrationDisplay
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from bicneuron import BicNeuronNetwork

rng = np.random.default_rng(0)
X = rng.standard_normal((1500, 8))
chance = expit(X[:, :3].sum(axis=1))
y = (rng.uniform(size=len(X)) < chance).astype(int)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=500, random_state=0)
models = {
    "network": BicNeuronNetwork(n_neurons=60, random_state=0).fit(X_train, y_train),
    "naive Bayes": GaussianNB().fit(X_train, y_train),
    "random forest": RandomForestClassifier(100, random_state=0).fit(X_train, y_train),
}

# %%
# Each point is a tenth of the test rows. On the diagonal, the share of rows of the class equals the
# predicted probability. The Brier score in the legend is 0 at best; always predicting 0.5 gives
# 0.25.

figure, ax = plt.subplots()
for name, model in models.items():
    brier = brier_score_loss(y_test, model.predict_proba(X_test)[:, 1])
    CalibrationDisplay.from_estimator(
        model,
        X_test,
        y_test,
        n_bins=10,
        strategy="quantile",
        name=f"{name} (Brier score {brier:.3f})",
        ax=ax,
    )
