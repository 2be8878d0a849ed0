"""Through AnnData and back, by way of a file."""

import anndata
import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

from bicneuron import BicNeuronClassifierCV, BicNeuronNetwork
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.neurons import OnlinePerceptron
from bicneuron.omics import add_patterns, from_anndata


def make_anndata(X, y):
    obs = pd.DataFrame(
        {"status": np.array(["well", "ill", "dead"])[y]}, index=[f"cell {i}" for i in range(len(X))]
    )
    var = pd.DataFrame(index=[f"gène {j}" for j in range(X.shape[1])])
    return anndata.AnnData(X, obs, var, layers={"counts": csr_matrix(np.round(X))})


@pytest.fixture
def adata():
    return make_anndata(*make_one_factor())


def read_back(adata, tmp_path):
    adata.write_h5ad(tmp_path / "cells.h5ad")
    return anndata.read_h5ad(tmp_path / "cells.h5ad")


# --- in


def test_names_values_and_labels(adata):
    X, y = from_anndata(adata, "status")
    assert_array_equal(X.to_numpy(), adata.X)
    assert X.columns.tolist() == adata.var_names.tolist()
    assert X.index.tolist() == y.index.tolist() == adata.obs_names.tolist()
    assert y.tolist() == adata.obs["status"].tolist()
    assert classifier().fit(X, y).feature_names_in_.tolist() == adata.var_names.tolist()


@pytest.mark.parametrize("backed", [None, "r"])
def test_a_sparse_layer_of_a_file_becomes_a_dense_table(adata, tmp_path, backed):
    read_back(adata, tmp_path)
    stored = anndata.read_h5ad(tmp_path / "cells.h5ad", backed=backed)
    X, y = from_anndata(stored, "status", layer="counts")
    assert_array_equal(X.to_numpy(), np.round(adata.X))
    assert X.dtypes.unique().tolist() == [np.float64]
    assert classifier(max_ratio=np.inf).fit(X, y).classes_.tolist() == ["ill", "well"]


def test_what_is_missing_is_named(adata):
    with pytest.raises(ValueError, match=r"no column 'Status'; it has 'status'\."):
        from_anndata(adata, "Status")
    with pytest.raises(ValueError, match=r"no layer 'raw'; it has 'counts'\."):
        from_anndata(adata, "status", layer="raw")
    with pytest.raises(ValueError, match=r"no X; name a layer: none\."):
        from_anndata(anndata.AnnData(obs=adata.obs), "status")


def test_rows_without_a_label_are_refused_with_the_way_out(adata):
    adata.obs["status"] = adata.obs["status"].where(np.arange(100) > 2)
    with pytest.raises(ValueError, match=r"no value in 3 of 100 rows.*adata\[") as error:
        from_anndata(adata, "status")
    way_out = str(error.value).partition("leave them out: ")[2].rstrip(".")
    assert len(from_anndata(eval(way_out), "status")[1]) == 97


def test_a_name_given_twice_is_refused(adata):
    adata.var_names = ["a", "b", "a", *"defghij"]
    with pytest.raises(ValueError, match=r"'a' more than once.*make_unique"):
        from_anndata(adata, "status")


# --- out


def check_membership(adata, k, rows, contrast_rows, columns):
    members = adata.obsm["bicneuron"][:, [k]].toarray()[:, 0]
    assert_array_equal(np.flatnonzero(members == 1), rows)
    assert_array_equal(np.flatnonzero(members == -1), np.sort(contrast_rows))
    assert_array_equal(np.flatnonzero(adata.varm["bicneuron"][:, [k]].toarray()[:, 0]), columns)


@pytest.mark.parametrize("max_rows", [None, 30])
def test_pairs_of_a_classifier_through_a_file(adata, tmp_path, max_rows):
    X, y = from_anndata(adata, "status")
    model = classifier(max_rows=max_rows, max_ratio=np.inf).fit(X, y)
    add_patterns(adata, model)
    stored = read_back(adata, tmp_path)
    table = stored.uns["bicneuron"]
    assert len(table) == len(model.pairs_) > 3
    used = model.rows_used_
    for k, pair in enumerate(model.pairs_):
        rows, contrast_rows = used[pair.anchor_rows], used[pair.contrast_rows]
        check_membership(stored, k, rows, contrast_rows, pair.columns)
        assert set(y.iloc[rows]) == {table["anchor_class"].iloc[k]}
    assert table["msr_ratio"].tolist() == [pair.msr_ratio for pair in model.pairs_]
    assert table["n_columns"].tolist() == [len(pair.columns) for pair in model.pairs_]
    best = table["selected"].to_numpy()
    assert best.sum() == 1
    assert table["score"][best].item() == model.scores_.max()


def test_parts_of_three_classes(tmp_path):
    adata = make_anndata(*make_three())
    X, y = from_anndata(adata, "status")
    model = classifier(multi_class="ovo", max_ratio=np.inf).fit(X, y)
    add_patterns(adata, model, key="pairs of classes")
    table = read_back(adata, tmp_path).uns["pairs of classes"]
    sizes = table["problem"].value_counts()
    assert sizes.to_dict() == {
        "class 'ill' against class 'dead'": len(model.estimators_[0].pairs_),
        "class 'well' against class 'dead'": len(model.estimators_[1].pairs_),
        "class 'well' against class 'ill'": len(model.estimators_[2].pairs_),
    }


def test_a_search_writes_its_best(adata):
    X, y = from_anndata(adata, "status")
    model = BicNeuronClassifierCV(preset="paper", max_ratios=[np.inf], cv=3, random_state=0)
    add_patterns(adata, model.fit(X, y))
    assert len(adata.uns["bicneuron"]) == len(model.best_estimator_.pairs_)


def test_patterns_of_a_network_and_of_a_miner(adata, tmp_path):
    X, y = from_anndata(adata, "status")
    network = BicNeuronNetwork(design="readable", n_neurons=5, n_candidates=40, random_state=0).fit(
        X, y
    )
    add_patterns(adata, network)
    miner = ContrastBiclustering().fit(X, y)
    add_patterns(adata, miner, key="mined")
    stored = read_back(adata, tmp_path)
    pair = network.patterns_[1].pair
    check_membership(stored, 1, np.sort(pair.anchor_rows), pair.contrast_rows, pair.columns)
    assert stored.uns["bicneuron"]["contribution"].sum() == pytest.approx(1)
    assert stored.obsm["mined"].T.toarray().tolist() == miner.rows_.tolist()
    assert stored.varm["mined"].T.toarray().tolist() == miner.columns_.tolist()


def test_another_anndata_is_refused(adata):
    X, y = from_anndata(adata, "status")
    model = classifier(max_ratio=np.inf).fit(X, y)
    with pytest.raises(ValueError, match=r"row \d+, but the AnnData has 10 rows"):
        add_patterns(adata[:10].copy(), model)
    with pytest.raises(ValueError, match="10 columns that are not the 4 var_names"):
        add_patterns(adata[:, :4].copy(), model)
    with pytest.raises(ValueError, match="10 columns that are not the 10 var_names"):
        add_patterns(adata[:, ::-1].copy(), model)
    with pytest.raises(TypeError, match="a OnlinePerceptron finds no patterns"):
        add_patterns(adata, OnlinePerceptron().fit(X, y))


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
def test_a_model_that_fell_back_has_nothing_to_write(adata):
    X, y = from_anndata(adata, "status")
    with pytest.raises(ValueError, match="found no pattern"):
        add_patterns(adata, classifier(max_ratio=0.0).fit(X, y))
    assert "bicneuron" not in adata.uns
