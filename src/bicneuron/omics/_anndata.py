"""From an AnnData to a table and labels, and from a fitted model to the AnnData's slots."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import IndexArray
from bicneuron.contrast import ContrastivePair


class FoundPattern(NamedTuple):
    """Rows and columns of a pattern, and its properties by name."""

    rows: IndexArray
    contrast_rows: IndexArray | None
    columns: IndexArray
    about: dict[str, Any]

    @property
    def all_rows(self) -> list[IndexArray]:
        """Rows of either side."""
        return [rows for rows in (self.rows, self.contrast_rows) if rows is not None]


def from_anndata(adata: Any, label: str, *, layer: str | None = None) -> tuple[Any, Any]:
    """Table and labels of an AnnData, for ``fit(X, y)``.

    Parameters
    ----------
    adata : AnnData of shape (n_obs, n_vars)
        Sparse and backed matrices are read into memory as dense ones, 8 bytes per value: select
        genes first, for example the highly variable ones.
    label : str
        Column of ``adata.obs`` that holds the classes.
    layer : str, default=None
        Which of ``adata.layers`` to take instead of ``adata.X``.

    Returns
    -------
    frame : pandas.DataFrame of shape (n_obs, n_vars)
        Named by ``obs_names`` and ``var_names``.
    labels : pandas.Series of shape (n_obs,)

    Examples
    --------
    >>> import anndata, numpy as np, pandas as pd
    >>> cells = pd.DataFrame({"tissue": ["liver", "liver", "lung"]}, index=["c1", "c2", "c3"])
    >>> genes = pd.DataFrame(index=["ALB", "SFTPC"])
    >>> adata = anndata.AnnData(np.array([[9.0, 0.0], [8.0, 1.0], [0.0, 7.0]]), cells, genes)
    >>> X, y = from_anndata(adata, "tissue")
    >>> X.columns.tolist(), y.tolist()
    (['ALB', 'SFTPC'], ['liver', 'liver', 'lung'])
    """
    if label not in adata.obs:
        raise ValueError(f"obs has no column {label!r}; it has {_listed(adata.obs.columns)}.")
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"the AnnData has no layer {layer!r}; it has {_listed(adata.layers)}.")
    if layer is None and adata.X is None:
        raise ValueError(f"the AnnData has no X; name a layer: {_listed(adata.layers)}.")
    twice = adata.var_names[adata.var_names.duplicated()]
    if len(twice):
        raise ValueError(
            f"var_names holds {twice[0]!r} more than once; call adata.var_names_make_unique()."
        )
    labels = adata.obs[label]
    unknown = int(labels.isna().sum())
    if unknown:
        raise ValueError(
            f"obs[{label!r}] has no value in {unknown} of {len(labels)} rows; leave them out: "
            f"adata[adata.obs[{label!r}].notna()]."
        )
    if adata.isbacked:
        adata = adata.to_memory()
    return adata.to_df(layer=layer).astype(np.float64), labels


def add_patterns(adata: Any, model: Any, *, key: str = "bicneuron") -> None:
    """Write the patterns of a fitted model into the AnnData that it was fitted on.

    Parameters
    ----------
    adata : AnnData of shape (n_obs, n_vars)
        The training data: the same rows in the same order, and the same columns.
    model : fitted classifier, network or miner of bicneuron
    key : str, default="bicneuron"
        Name of the three entries; existing ones are replaced:

        - ``adata.obsm[key]``: sparse, of shape (n_obs, n_patterns): 1 where a row is in the
          bicluster, -1 where it is in its contrast;
        - ``adata.varm[key]``: sparse, of shape (n_vars, n_patterns): 1 where a column belongs
          to the bicluster;
        - ``adata.uns[key]``: a frame with one line per pattern, the strongest first.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from bicneuron.biclustering import ContrastBiclustering
    >>> from bicneuron.datasets import make_additive_biclusters
    >>> X, *_ = make_additive_biclusters(random_state=0)
    >>> adata = anndata.AnnData(X)
    >>> adata.obs["class"] = np.repeat(["ill", "well"], len(X) // 2)
    >>> X, y = from_anndata(adata, "class")
    >>> add_patterns(adata, ContrastBiclustering().fit(X, y))
    >>> adata.obsm["bicneuron"].shape == (len(X), len(adata.uns["bicneuron"]))
    True
    """
    _check_columns(adata, model)
    found = _patterns_of(model)
    if not found:
        raise ValueError(f"{type(model).__name__} found no pattern, so there is nothing to write.")
    last = max(int(rows.max()) for pattern in found for rows in pattern.all_rows)
    if last >= adata.n_obs:
        raise ValueError(
            f"the model names row {last}, but the AnnData has {adata.n_obs} rows; pass the one "
            "that the model was fitted on."
        )
    adata.obsm[key] = _membership([(p.rows, p.contrast_rows) for p in found], adata.n_obs)
    adata.varm[key] = _membership([(p.columns, None) for p in found], adata.n_vars)
    adata.uns[key] = _table(found)


def _patterns_of(model: Any) -> list[FoundPattern]:
    """Patterns of a fitted classifier, network or miner, in the order in which it ranks them."""
    check_is_fitted(model)
    if hasattr(model, "patterns_"):
        return [_of_pair(p.pair, {"contribution": float(p.contribution)}) for p in model.patterns_]
    if hasattr(model, "found_"):
        return [FoundPattern(b.rows, None, b.columns, {"msr": b.msr}) for b in model.found_]
    if "estimators_" in vars(model):
        return [
            pattern._replace(about={"problem": str(problem), **pattern.about})
            for problem, binary_estimator in model.binary_models()
            for pattern in _patterns_of(binary_estimator)
        ]
    if not hasattr(model, "pairs_"):
        raise TypeError(f"a {type(model).__name__} finds no patterns.")
    used = model.rows_used_
    return [
        _of_pair(pair, {"score": float(score), "selected": pair is model.selected_pair_}, used)
        for pair, score in zip(model.pairs_, model.scores_, strict=True)
    ]


def _of_pair(
    pair: ContrastivePair, about: dict[str, Any], used: IndexArray | None = None
) -> FoundPattern:
    rows, contrast_rows = pair.anchor_rows, pair.contrast_rows
    if used is not None:
        rows, contrast_rows = used[rows], used[contrast_rows]
    about = {"anchor_class": str(pair.anchor_class), "msr_ratio": float(pair.msr_ratio), **about}
    return FoundPattern(rows, contrast_rows, pair.columns, about)


def _check_columns(adata: Any, model: Any) -> None:
    known = getattr(model, "feature_names_in_", None)
    same = model.n_features_in_ == adata.n_vars and (
        known is None or known.tolist() == adata.var_names.tolist()
    )
    if not same:
        raise ValueError(
            f"the model was fitted on {model.n_features_in_} columns that are not the "
            f"{adata.n_vars} var_names of the AnnData; pass the one that it was fitted on."
        )


def _membership(sides: list[tuple[IndexArray, IndexArray | None]], length: int) -> csr_matrix:
    """Matrix of 1 and -1 for the members of both sides, one column per pattern."""
    places, patterns, values = [], [], []
    for k, both in enumerate(sides):
        for members, value in zip(both, (1, -1), strict=True):
            if members is not None:
                places.append(members)
                patterns.append(np.full(len(members), k))
                values.append(np.full(len(members), value, dtype=np.int8))
    cells = np.concatenate(values), (np.concatenate(places), np.concatenate(patterns))
    return csr_matrix(cells, shape=(length, len(sides)))


def _table(found: list[FoundPattern]) -> Any:
    import pandas as pd

    lines = [
        {
            "n_rows": len(pattern.rows),
            "n_contrast_rows": 0 if pattern.contrast_rows is None else len(pattern.contrast_rows),
            "n_columns": len(pattern.columns),
            **pattern.about,
        }
        for pattern in found
    ]
    return pd.DataFrame(lines, index=[str(k) for k in range(len(lines))])


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names)) or "none"
