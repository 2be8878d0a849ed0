"""What does a classifier of one neuron score with each miner?

Prints accuracy and balanced accuracy on the same five folds, the share of the rows and columns of
the selected pair, the number of pairs and the seconds of a fit; docs/guide/miners.md has the table.
It needs the files of the data sets: `python -m reproduction --list` tells where to get them. Run it
by `python -m examples.compare_miners` from the root of the repository.
"""

import warnings
from statistics import fmean
from time import process_time

from sklearn.cluster import SpectralCoclustering
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from bicneuron import BicNeuronClassifier, CoherentBiclustering, SubgroupBiclustering
from bicneuron.biclustering import (
    AdaptedBiclustering,
    ChengChurchBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
)
from reproduction.datasets import load_dataset

MINERS = [
    CoherentBiclustering(),
    ContrastBiclustering(),
    SubgroupBiclustering(),
    ChengChurchBiclustering(),
    DifferenceBiclustering(),
    SDCBiclustering(),
    DiRAPOCCBiclustering(),
    InformationCoclustering(),
    AdaptedBiclustering(estimator=SpectralCoclustering(3)),
]


def fold(miner, X, y, train, test):
    """Accuracy, balanced accuracy, shares of rows and columns, pairs, seconds, and fallbacks."""
    model = BicNeuronClassifier(search=None, miner=miner, max_ratio=float("inf"), random_state=0)
    start = process_time()
    model.fit(X[train], y[train])
    seconds = process_time() - start
    pair, found = model.selected_pair_, model.predict(X[test])
    return (
        accuracy_score(y[test], found),
        balanced_accuracy_score(y[test], found),
        1.0 if pair is None else len(pair.rows) / len(train),
        1.0 if pair is None else len(pair.columns) / X.shape[1],
        len(model.pairs_),
        seconds,
        pair is None,
    )


warnings.simplefilter("ignore")  # a miner that finds nothing falls back, which is counted
print("data set, miner: ACC, balanced ACC, rows, columns, pairs, seconds, share of folds without")
for name in ("parkinsons", "sonar", "ionosphere", "wdbc"):
    X, y = load_dataset(name, return_X_y=True)
    folds = [*StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)]
    for miner in MINERS:
        results = zip(*(fold(miner, X, y, *rows) for rows in folds), strict=True)
        print(f"{name}, {type(miner).__name__}: " + ", ".join(f"{fmean(r):.3f}" for r in results))
