"""Life inside scikit-learn: pipelines, searches, cross-validation, ensembles, data frames."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data import make_one_factor
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import SpectralCoclustering
from sklearn.ensemble import BaggingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, LeaveOneGroupOut, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr, get_tags

from bicneuron import (
    BicNeuronClassifier,
    BicNeuronNetwork,
    CoherentBiclustering,
    SubgroupBiclustering,
)
from bicneuron.biclustering import (
    AdaptedBiclustering,
    ChengChurchBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
)
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron
from reproduction.datasets import WaveletFeatures

MINER = CoherentBiclustering(cut_distance=0.5)


def classifier(**parameters):
    return BicNeuronClassifier(
        search=None, **{"miner": MINER, "random_state": 0, "max_ratio": np.inf, **parameters}
    )


def test_search_over_the_parameters_of_miner_and_neuron(one_factor):
    X, y = one_factor
    model = Pipeline([("scaler", StandardScaler()), ("bic", classifier(neuron=OnlinePerceptron()))])
    grid = {"bic__miner__cut_distance": [0.5, 0.8], "bic__neuron__average": [False, True]}
    serial = GridSearchCV(model, grid, cv=3).fit(X, y)
    parallel = GridSearchCV(model, grid, cv=3, n_jobs=2).fit(X, y)
    assert serial.best_params_ == parallel.best_params_
    for key in ("mean_test_score", "std_test_score"):
        assert serial.cv_results_[key].tolist() == parallel.cv_results_[key].tolist()
    best = serial.best_estimator_.named_steps["bic"]
    assert best.miner.cut_distance == serial.best_params_["bic__miner__cut_distance"]


def test_nested_parallelism_changes_nothing(one_factor):
    X, y = one_factor
    expected = cross_val_score(classifier(), X, y, cv=3)
    for n_jobs in (1, 2):
        scores = cross_val_score(classifier(n_jobs=n_jobs), X, y, cv=3, n_jobs=2)
        assert scores.tolist() == expected.tolist()


def test_pandas_through_a_pipeline(one_factor):
    X, y = one_factor
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(10)], index=range(500, 600))
    model = make_pipeline(StandardScaler(), classifier()).set_output(transform="pandas")
    model.fit(frame, pd.Series(y, index=frame.index))
    fitted = model[-1]
    assert fitted.feature_names_in_.tolist() == list(frame.columns)
    plain = make_pipeline(StandardScaler(), classifier()).fit(X, y)
    assert model.predict(frame).tolist() == plain.predict(X).tolist()


NAMES = [f"gène {j}" for j in range(10)]
MINERS = [
    CoherentBiclustering(search="prune"),
    ContrastBiclustering(),
    SubgroupBiclustering(kinds="shift"),
    ChengChurchBiclustering(max_residue=0.1, n_biclusters=2, random_state=0),
    DifferenceBiclustering(max_residue=0.1, max_seeds=10),
    SDCBiclustering(min_columns=2, max_columns=3),
    DiRAPOCCBiclustering(max_residue=0.1, min_difference=0),
    InformationCoclustering(n_init=1, random_state=0),
    AdaptedBiclustering(estimator=SpectralCoclustering(2, random_state=0)),
]
CLASSIFIERS = [
    classifier(),
    BicNeuronClassifier(search="paper", max_ratio=np.inf, cv=3, random_state=0),
    BicNeuronNetwork(n_neurons=5, neuron_kinds=[GaussianNeuron()], random_state=0),
    OnlinePerceptron(random_state=0),
    KernelPerceptron(random_state=0),
    GaussianNeuron(),
    KernelNeuron(),
]


def kind(estimator):
    return type(estimator).__name__


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *MINERS], ids=kind)
def test_polars_gives_the_model_of_pandas(one_factor, estimator):
    X, y = one_factor
    labels = np.where(y, "ill", "well")
    frames = pl.DataFrame(X, schema=NAMES), pd.DataFrame(X, columns=NAMES)
    by_polars = clone(estimator).fit(frames[0], pl.Series(labels))
    by_pandas = clone(estimator).fit(frames[1], pd.Series(labels))
    assert by_polars.feature_names_in_.tolist() == NAMES
    if estimator in MINERS:
        assert by_polars.patterns_ == by_pandas.patterns_
        return
    assert by_polars.predict(frames[0]).tolist() == by_pandas.predict(frames[1]).tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        by_polars.predict(frames[0].select(NAMES[::-1]))


def polars_frame_with_cell(X, value):
    column = pl.Series("gène 2", [value if i == 7 else str(x) for i, x in enumerate(X[:, 2])])
    if value != "unknown":
        column = column.cast(pl.Float64)
    return pl.DataFrame(X, schema=NAMES).with_columns(column)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *MINERS], ids=kind)
def test_a_bad_cell_of_a_polars_frame_is_named(one_factor, estimator):
    X, y = one_factor
    with pytest.raises(ValueError, match="column 'gène 2', row 7, is"):
        clone(estimator).fit(polars_frame_with_cell(X, "unknown"), y)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *MINERS], ids=kind)
@pytest.mark.parametrize("value", [None, "nan"])
def test_a_missing_cell_of_a_polars_frame_is_that_of_pandas(one_factor, estimator, value):
    X, y = one_factor
    frame = polars_frame_with_cell(X, value)
    if not get_tags(estimator).input_tags.allow_nan:
        with pytest.raises(ValueError, match="column 'gène 2', row 7, is"):
            clone(estimator).fit(frame, y)
        return
    X = X.copy()
    X[7, 2] = np.nan
    pandas = pd.DataFrame(X, columns=NAMES)
    by_polars, by_pandas = clone(estimator).fit(frame, y), clone(estimator).fit(pandas, y)
    if estimator in MINERS:
        assert by_polars.patterns_ == by_pandas.patterns_
    else:
        assert by_polars.predict(frame).tolist() == by_pandas.predict(pandas).tolist()


@pytest.mark.parametrize(("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_wavelet_features_come_with_names(library, frame):
    signals = np.random.default_rng(0).normal(size=(6, 100))
    plain = WaveletFeatures().fit_transform(signals)
    named = WaveletFeatures().set_output(transform=library).fit_transform(signals)
    assert isinstance(named, frame)
    assert list(named.columns)[:2] == ["A3_max", "A3_min"]
    assert named.to_numpy().tolist() == plain.tolist()
    with pytest.raises(ValueError, match="column 3, row 5, is nan"):
        WaveletFeatures().fit(np.where(signals == signals[5, 3], np.nan, signals))


def test_the_recipe_for_missing_values(one_factor):
    X, y = one_factor
    frame = pd.DataFrame(X.copy(), columns=NAMES)
    frame.iloc[3, 2] = np.nan
    model = make_pipeline(SimpleImputer(strategy="median"), classifier())
    model.set_output(transform="pandas").fit(frame, y)
    assert model[-1].feature_names_in_.tolist() == NAMES
    filled = frame.fillna(frame.median())
    assert model.predict(frame).tolist() == classifier().fit(filled, y).predict(filled).tolist()


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array([False, True]),
        np.array([1.0, 2.0]),
        pd.array(["no", "yes"], dtype="string"),
        pd.Categorical(["no", "yes"]),
        pd.Categorical(["yes", "no"], categories=["yes", "no"]),
    ],
    ids=lambda labels: f"{labels.dtype}",
)
def test_labels_of_any_kind(one_factor, labels):
    X, y = one_factor
    named = pd.Series(labels[y])
    model = classifier().fit(X, named)
    assert model.classes_.tolist() == sorted(labels.tolist())
    assert set(model.predict(X)) <= set(labels.tolist())
    assert model.score(X, named) > 0.6


def test_wrappers_that_resample_and_calibrate(one_factor):
    X, y = one_factor
    bagged = BaggingClassifier(classifier(), n_estimators=3, random_state=0).fit(X, y)
    assert bagged.score(X, y) > 0.6
    calibrated = CalibratedClassifierCV(classifier(anchor="both"), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (100, 2)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *MINERS], ids=kind)
def test_the_view_of_an_estimator_tells_whether_it_is_fitted(one_factor, estimator):
    model = clone(estimator)
    assert "<span>Not fitted</span>" in estimator_html_repr(model)
    view = estimator_html_repr(model.fit(*one_factor))
    assert kind(estimator) in view
    assert "<span>Fitted</span>" in view


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
    X, y = one_factor
    for model in (classifier(), BicNeuronNetwork(), OnlinePerceptron()):
        with pytest.raises(TypeError, match="sample_weight"):
            model.fit(X, y, sample_weight=np.ones(100))


@pytest.mark.parametrize("neuron", [None, OnlinePerceptron(), KernelPerceptron()], ids=repr)
def test_pickle(one_factor, neuron):
    X, y = one_factor
    model = classifier(neuron=neuron).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    miner = pickle.loads(pickle.dumps(CoherentBiclustering(search="prune").fit(X)))
    assert miner.rows_.shape == (len(miner.patterns_), 100)


def test_huge_imbalance():
    X, y = make_one_factor(n_minority=6, n_majority=3000)
    model = classifier(miner=CoherentBiclustering(cut_distance=2, max_residue=0.2)).fit(X, y)
    assert model.selected_pair_.anchor_class == 1
    assert len(model.selected_pair_.rows) <= 6
