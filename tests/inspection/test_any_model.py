"""What a display cannot draw is refused in words; tests/contract lets all models meet them."""

import subprocess
import sys
import warnings
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from data import classifier, make_one_factor, make_three
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import BicNeuronNetwork, CoherentBiclustering, SubgroupBiclustering
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.inspection import (
    BiclusterDisplay,
    ContrastDisplay,
    ExplanationDisplay,
    PairProjectionDisplay,
    ParallelCoordinatesDisplay,
    SubgroupDisplay,
)
from bicneuron.neurons import GaussianNeuron

OF_PAIRS = (ContrastDisplay, ParallelCoordinatesDisplay, PairProjectionDisplay)
OF_TABLES = (BiclusterDisplay, SubgroupDisplay, *OF_PAIRS)
NETWORK = BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0)
MODELS = {
    "biclusters": CoherentBiclustering(cut_distance=0.5),
    "no bicluster": CoherentBiclustering(max_residue=0.0),
    "groups": SubgroupBiclustering(n_patterns=2),
    "classifier": classifier(),
    "several labels": NETWORK,
}
NO_CLASSES = (TypeError, "does not predict classes; give a BicNeuronClassifier")
REFUSED = [
    *(("biclusters", one, (ValueError, "has no contrast rows|has no neuron")) for one in OF_PAIRS),
    *(("groups", one, (ValueError, "has no contrast rows|has no neuron")) for one in OF_PAIRS),
    *(
        ("no bicluster", one, (ValueError, "nothing to draw: .* found no pattern"))
        for one in OF_TABLES
    ),
    *((name, ExplanationDisplay, NO_CLASSES) for name in ("biclusters", "no bicluster", "groups")),
    ("biclusters", SubgroupDisplay, (ValueError, "has no weights of columns.*use Bic")),
    ("several labels", SubgroupDisplay, (ValueError, r"y has the shape \(90, 2\); give one class")),
    ("several labels", ExplanationDisplay, (ValueError, "explain needs classes; y was a table of")),
]


@cache
def fitted(name):
    X, y = make_three() if name == "several labels" else make_one_factor()
    if name == "several labels":
        y = np.column_stack([y == 0, y == 1]).astype(int)
    y = y if name in ("classifier", "several labels") else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBiclusterWarning)
        return clone(MODELS[name]).fit(X, y), X, y


def draw(display, model, X, y):
    return display.from_estimator(model, X, *([y] if display is SubgroupDisplay else []))


@pytest.mark.parametrize(("name", "display", "error"), REFUSED)
def test_it_refuses_in_words_before_anything_is_drawn(name, display, error):
    with pytest.raises(error[0], match=error[1]):
        draw(display, *fitted(name))
    assert not plt.get_fignums()


@pytest.mark.parametrize("display", [*OF_TABLES, ExplanationDisplay])
def test_what_has_no_patterns_is_refused(display):
    model, X, y = fitted("classifier")
    pipeline = make_pipeline(StandardScaler(), clone(model)).fit(X, y)
    for other in (LogisticRegression().fit(X, y), pipeline, None):
        with pytest.raises(
            TypeError, match=r"is a .*, which (has no patterns; the plot|does not predict classes)"
        ):
            draw(display, other, X, y)
    with pytest.raises(ValueError, match="not fitted yet"):
        draw(display, clone(model), X, y)


@pytest.mark.parametrize("display", OF_TABLES)
def test_other_tables_and_patterns_are_refused(display):
    model, X, _ = fitted("classifier")
    for table, message in (
        (X[:50], r"X has 50 rows, .* fitted to 100; give the X of fit"),
        (X[::-1], r"not what the model.*in another order; give the X of fit"),
        (X[:, :5], "features"),
    ):
        with pytest.raises(ValueError, match=message):
            display.from_estimator(model, table)
    for position in (-1, 1):
        with pytest.raises(ValueError, match=rf"={position} is not in patterns_; give 0 to 0"):
            display.from_estimator(model, X, pattern=position)


# --- matplotlib is asked for when something is drawn, and not before


def test_importing_the_displays_does_not_import_matplotlib():
    code = (
        f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r}\n"
        "import bicneuron.inspection\n"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_missing_matplotlib_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"run pip install 'bicneuron\[plot\]'"):
        ExplanationDisplay(["any"], [1.0], title="", label="").plot()
