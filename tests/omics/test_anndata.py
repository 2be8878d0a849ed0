"""Through AnnData and back, by way of a file."""

import anndata
import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError

from bicneuron import SubgroupBiclustering
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.datasets import make_subgroups
from bicneuron.neurons import OnlinePerceptron
from bicneuron.omics import add_patterns, from_anndata
from bicneuron.significance import significance_test, with_evidence


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
    # The pair that decides, in rows of the whole table.
    used, pair = model.rows_used_, model.selected_pair_
    rows, contrast_rows = used[pair.rows], used[pair.contrast_rows]
    check_membership(stored, 0, rows, contrast_rows, pair.columns)
    (line,) = table.to_dict("records")
    assert table.index.tolist() == ["1"]
    assert set(y.iloc[rows]) == {line["class"]}
    assert line["kind"] == "pair"
    assert line["msr_ratio"] == pair.msr_ratio
    assert line["strength"] == model.scores_.max()
    sizes = [line[name] for name in ("n_rows", "n_contrast_rows", "n_columns")]
    assert sizes == [len(rows), len(contrast_rows), len(pair.columns)]
    assert not {"p", "p_corrected", "found"} & set(table.columns)


def test_another_anndata_is_refused(adata):
    X, y = from_anndata(adata, "status")
    model = classifier(max_ratio=np.inf).fit(X, y)
    with pytest.raises(ValueError, match=r"X is not what the model.*its rows are in another order"):
        add_patterns(adata[::-1].copy(), model)
    with pytest.raises(ValueError, match="10 columns that are not the 10 var_names"):
        add_patterns(adata[:, ::-1].copy(), model)
    with pytest.raises(TypeError, match="OnlinePerceptron, which has no patterns; add_patterns"):
        add_patterns(adata, OnlinePerceptron().fit(X, y))
    with pytest.raises(NotFittedError):
        add_patterns(adata, classifier())
    assert "bicneuron" not in adata.uns


def test_a_model_of_a_layer_names_it(adata):
    X, y = from_anndata(adata, "status", layer="counts")
    model = ContrastBiclustering().fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match="X is not what the model was fitted to"):
        add_patterns(adata, model)
    add_patterns(adata, model, layer="counts")
    assert len(adata.uns["bicneuron"]) == len(model.patterns_)
    adata.X = None
    with pytest.raises(ValueError, match=r"no X; name a layer: 'counts'\."):
        add_patterns(adata, model)
    add_patterns(adata, model, layer="counts", key="again")
    assert "again" in adata.uns


def test_groups_keep_what_is_known_of_them_and_their_evidence(tmp_path):
    X, y, _ = make_subgroups("shift", shift=3.0, n_columns=60, random_state=0)
    adata = anndata.AnnData(X)
    adata.obs["status"] = y
    frame, labels = from_anndata(adata, "status")
    miner = SubgroupBiclustering(n_patterns=3).fit(frame)
    tested = significance_test(miner, frame, labels, random_state=0)
    carried = with_evidence(miner, tested)
    add_patterns(adata, carried)
    stored = read_back(adata, tmp_path)
    table = stored.uns["bicneuron"]
    assert table.index.tolist() == [str(k + 1) for k in range(len(miner.patterns_))]
    assert table["kind"].tolist() == [group.kind for group in miner.patterns_]
    assert table["strength"].tolist() == [group.strength for group in miner.patterns_]
    assert table["p"].tolist() == tested.p_values.tolist()
    assert table["p_corrected"].tolist() == tested.family_p_values.tolist()
    for k, group in enumerate(miner.patterns_):
        carriers = np.flatnonzero(miner.carriers(frame)[:, k])
        check_membership(stored, k, carriers, [], group.columns)
    # A group of all rows has no class, and what was not tested is left out.
    add_patterns(adata, miner, key="blind")
    assert set(adata.uns["blind"]["class"]) == {""}
    assert not {"p", "p_corrected"} & set(adata.uns["blind"].columns)
