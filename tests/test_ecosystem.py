"""Life inside scikit-learn: pipelines, searches, cross-validation, ensembles, data frames."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from miners import QUICK_MINERS
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, LeaveOneGroupOut
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr, get_tags

from bicneuron import BicNeuronClassifier, BicNeuronNetwork, CoherentBiclustering
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron

MINER = CoherentBiclustering(cut_distance=0.5)
NAMES = [f"gène {j}" for j in range(10)]


def classifier(**parameters):
    return BicNeuronClassifier(
        search=None, **{"miner": MINER, "random_state": 0, "max_ratio": np.inf, **parameters}
    )


def test_search_over_the_parameters_of_miner_and_neuron(one_factor):
    X, y = one_factor
    model = Pipeline([("scaler", StandardScaler()), ("bic", classifier(neuron=OnlinePerceptron()))])
    grid = {"bic__miner__cut_distance": [0.5, 0.8], "bic__neuron__average": [False, True]}
    found = GridSearchCV(model, grid, cv=2).fit(X, y)
    best = found.best_estimator_.named_steps["bic"]
    assert best.miner.cut_distance == found.best_params_["bic__miner__cut_distance"]
    assert best.neuron.average == found.best_params_["bic__neuron__average"]


ESTIMATORS = [
    classifier(),
    BicNeuronClassifier(search="paper", max_ratio=np.inf, cv=3, random_state=0),
    BicNeuronNetwork(n_neurons=5, neuron_kinds=[GaussianNeuron()], random_state=0),
    OnlinePerceptron(random_state=0),
    KernelPerceptron(random_state=0),
    GaussianNeuron(),
    KernelNeuron(),
    *QUICK_MINERS,
]


def assert_same_model(one, other, X):
    assert getattr(one, "patterns_", None) == getattr(other, "patterns_", None)
    if hasattr(one, "predict"):
        assert one.predict(X).tolist() == other.predict(X).tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_polars_is_taken_as_pandas(one_factor, estimator):
    X, y = one_factor
    labels = np.where(y, "ill", "well")
    polars, pandas = pl.DataFrame(X, schema=NAMES), pd.DataFrame(X.copy(), columns=NAMES)
    assert "<span>Not fitted</span>" in estimator_html_repr(clone(estimator))
    by_polars = clone(estimator).fit(polars, pl.Series(labels))
    assert "<span>Fitted</span>" in estimator_html_repr(by_polars)
    assert by_polars.feature_names_in_.tolist() == NAMES
    assert_same_model(by_polars, clone(estimator).fit(pandas, pd.Series(labels)), polars)
    if hasattr(estimator, "predict"):
        with pytest.raises(ValueError, match="feature names should match"):
            by_polars.predict(polars.select(NAMES[::-1]))

    words = [*map(str, X[:7, 2]), "unknown", *map(str, X[8:, 2])]
    with pytest.raises(ValueError, match="column 'gène 2', row 7, is"):
        clone(estimator).fit(polars.with_columns(pl.Series(NAMES[2], words)), y)
    cells = [*X[:7, 2], None, float("nan"), *X[9:, 2]]
    missing = polars.with_columns(pl.Series(NAMES[2], cells))
    if get_tags(estimator).input_tags.allow_nan:
        pandas.iloc[7:9, 2] = np.nan
        one, other = clone(estimator).fit(missing, y), clone(estimator).fit(pandas, y)
        assert_same_model(one, other, missing)
    else:
        with pytest.raises(ValueError, match="column 'gène 2', row 7, is"):
            clone(estimator).fit(missing, y)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1.0, 2.0]),
        pd.array(["no", "yes"], dtype="string"),
        pd.Categorical(["yes", "no"], categories=["yes", "no"]),
    ],
    ids=lambda labels: f"{labels.dtype}",
)
def test_labels_of_any_kind(one_factor, labels):
    X, y = one_factor
    named = labels.take(y)
    model = classifier().fit(X, named)
    assert model.classes_.tolist() == sorted(labels.tolist())
    assert set(model.predict(X)) <= set(labels.tolist())
    assert model.score(X, named) > 0.6


def test_groups_are_routed_to_the_inner_folds(one_factor):
    """Through a search and a pipeline, whose own folds get the same groups."""
    X, y = one_factor
    groups = np.arange(100) % 4
    with config_context(enable_metadata_routing=True):
        inner = BicNeuronClassifier(
            search="paper", max_ratio=np.inf, cv=LeaveOneGroupOut(), random_state=0
        ).set_fit_request(groups=True)
        model = GridSearchCV(
            Pipeline([("scaler", StandardScaler()), ("bic", inner)]),
            {"bic__scale": ["all", "minmax"]},
            cv=LeaveOneGroupOut(),
        ).fit(X, y, groups=groups)
    assert model.n_splits_ == 4
    assert model.best_estimator_["bic"].n_splits_ == 4


def test_weights_of_rows_are_refused_by_name(one_factor):
    for model in (classifier(), BicNeuronNetwork(), OnlinePerceptron()):
        with pytest.raises(TypeError, match="sample_weight"):
            model.fit(*one_factor, sample_weight=np.ones(100))
