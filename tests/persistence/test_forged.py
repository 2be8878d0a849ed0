"""Files whose patterns are of other types or of another table are refused."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from data import classifier, make_one_factor

from bicneuron import BicNeuronNetwork, CoherentBiclustering, SubgroupBiclustering
from bicneuron.exceptions import ModelFileError
from bicneuron.neurons import GaussianNeuron
from bicneuron.persistence import _skops, load_model, save_model
from bicneuron.persistence._sound import check_sound

MODELS = {
    "groups": SubgroupBiclustering(n_patterns=2),
    "biclusters": CoherentBiclustering(cut_distance=0.5, max_seeds=20, random_state=0),
    "classifier": classifier(),
    "network": BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0),
}
# What can be forged in all models alike is written to files of these; the check is the same.
WRITTEN = ("groups", "network")


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    X, y = make_one_factor()
    return request.param, MODELS[request.param].fit(X, np.array(["no", "yes"])[y])


def with_first(**changes):
    """Change the first pattern of a model."""

    def change(model):
        first, *others = model.patterns_
        model.patterns_ = [
            replace(first, **{k: make(model, first) for k, make in changes.items()}),
            *others,
        ]

    return change


def of_neuron(**changes):
    return with_first(neuron=lambda model, pattern: replace(pattern.neuron, **changes))


def of_table(**changes):
    """Change the fingerprint of the training table."""

    def change(model):
        values = {k: make(getattr(model._fingerprint, k)) for k, make in changes.items()}
        model._fingerprint = model._fingerprint._replace(**values)

    return change


def setting(**values):
    return lambda model: vars(model).update(values)


FORGED = {
    "columns beyond": with_first(columns=lambda model, p: p.columns + model.n_features_in_),
    "columns below": with_first(
        columns=lambda model, p: np.arange(len(p.columns)) - 1, weights=lambda *_: np.empty(0)
    ),
    "rows beyond": with_first(rows=lambda model, p: p.rows + len(model._fingerprint.rows)),
    "rows not sorted": with_first(
        rows=lambda model, p: p.rows[::-1], weights=lambda *_: np.empty(0)
    ),
    "no rows": with_first(rows=lambda *_: np.empty(0)),
    "contrast beyond": with_first(contrast_rows=lambda *_: np.array([3, 10**6])),
    "contrast twice": with_first(contrast_rows=lambda *_: np.array([3, 3])),
    "hashes with signs": of_table(rows=lambda hashes: hashes.astype(np.int64)),
    "hashes of a table": of_table(rows=lambda hashes: hashes[:, None]),
    "hashes no array": of_table(rows=lambda hashes: hashes.tolist()),
    "rows without hash": of_table(rows=lambda hashes: hashes[:2]),
    "labels hashed otherwise": of_table(labels=lambda hashes: np.zeros(3)),
    "no fingerprint": setting(_fingerprint=None),
    "fingerprint of a tuple": lambda model: setting(_fingerprint=tuple(model._fingerprint))(model),
    "patterns no patterns": setting(patterns_=[3]),
    "patterns no list": setting(patterns_="none"),
}
OF_NEURONS = {
    "sign no number": of_neuron(sign="+"),
    "no neuron": with_first(neuron=lambda *_: None),
}


def forgeries_of(kind):
    if kind == "groups":
        return FORGED | {"no axis": with_first(axis=lambda *_: None)}
    return FORGED if kind == "biclusters" else FORGED | OF_NEURONS


def unchecked(model, path):
    """Save a model that is not checked, as an attacker would write it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_skops, "check_sound", lambda model: None)
        return save_model(model, path, overwrite=True)


def refusal(act, *arguments):
    try:
        act(*arguments)
    except ModelFileError as error:
        return str(error)
    return "not refused"


def test_patterns_of_other_types_or_tables_are_refused(tmp_path, fitted):
    kind, model = fitted
    load_model(save_model(model, tmp_path / "whole.skops"))
    for name, forge in forgeries_of(kind).items():
        forged = copy.copy(model)
        forge(forged)
        assert refusal(check_sound, forged).startswith("is damaged: "), name  # before it is saved
        if name not in FORGED or kind in WRITTEN:
            path = unchecked(forged, tmp_path / "forged.skops")
            assert refusal(load_model, path).startswith(f"{path} is damaged: "), name


@pytest.mark.parametrize(("name", "n_more"), [("weights", -1), ("differences", 89), ("effects", 1)])
def test_values_that_do_not_fit_the_columns_are_refused(tmp_path, fitted, name, n_more):
    _, model = fitted
    pattern = replace(model.patterns_[0])
    n_values = len(pattern.columns) + n_more
    object.__setattr__(pattern, name, np.ones(n_values))
    forged = copy.copy(model)
    forged.patterns_ = [pattern, *model.patterns_[1:]]
    path = unchecked(forged, tmp_path / "forged.skops")
    assert f"does not fit {n_values} values" in refusal(load_model, path)
