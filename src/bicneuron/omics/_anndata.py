"""From an AnnData to a table and labels, and from a fitted model to the AnnData's slots."""

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from bicneuron._core._arrays import IndexArray
from bicneuron._shared._files import write_atomically
from bicneuron._shared._version import import_extra
from bicneuron.patterns import Pattern, check_patterns

# Names of the columns for p, and those of `Evidence`.
TESTS = {"p": "p_value", "p_corrected": "family_p_value", "p_separate": "separate_p"}


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
    _check_layer(adata, layer)
    if len(twice := adata.var_names[adata.var_names.duplicated()]):
        raise ValueError(
            f"var_names holds {twice[0]!r} more than once; call adata.var_names_make_unique()."
        )
    labels = adata.obs[label]
    if unknown := int(labels.isna().sum()):
        raise ValueError(
            f"obs[{label!r}] has no value in {unknown} of {len(labels)} rows; leave them out: "
            f"adata[adata.obs[{label!r}].notna()]."
        )
    adata = adata.to_memory() if adata.isbacked else adata
    return adata.to_df(layer=layer).astype(np.float64), labels


def add_patterns(
    adata: Any, model: Any, *, layer: str | None = None, key: str = "bicneuron"
) -> None:
    """Write the patterns of a fitted model into the AnnData that it was fitted on.

    Parameters
    ----------
    adata : AnnData of shape (n_obs, n_vars)
        The training data: the same rows in the same order, and the same columns.
    model : fitted classifier, network or miner of bicneuron
    layer : str, default=None
        Which of ``adata.layers`` it was fitted on, instead of ``adata.X``.
    key : str, default="bicneuron"
        Name of the three entries; existing ones are replaced:

        - ``adata.obsm[key]``: sparse, of shape (n_obs, n_patterns): 1 where a row carries the
          group or is in the bicluster, -1 where it is in its contrast;
        - ``adata.varm[key]``: sparse, of shape (n_vars, n_patterns): 1 for columns of the pattern;
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
    check_patterns(model, "add_patterns")
    if not model.patterns_:
        raise ValueError(f"{type(model).__name__} found no pattern, so there is nothing to write.")
    _check_layer(adata, layer)
    known = getattr(model, "feature_names_in_", adata.var_names).tolist()
    if model.n_features_in_ != adata.n_vars or known != adata.var_names.tolist():
        raise ValueError(
            f"the model was fitted on {model.n_features_in_} columns that are not the "
            f"{adata.n_vars} var_names of the AnnData; pass the one that it was fitted on."
        )
    stored = adata.to_memory() if adata.isbacked else adata
    table = stored.X if layer is None else stored.layers[layer]
    if hasattr(model, "feature_names_in_"):
        table = stored.to_df(layer=layer)
    model.check_table(table)
    _add(adata, model, table, np.arange(adata.n_obs), np.arange(adata.n_vars), key)


def write_patterns(
    source: str | os.PathLike[str],
    path: str | os.PathLike[str],
    model: Any,
    X: Any,
    *,
    key: str = "bicneuron",
    overwrite: bool = False,
) -> Path:
    """Copy an ``.h5ad`` file, add patterns of a model fitted to its table, and return the path.

    Parameters
    ----------
    source, path : path-like
        The file that was read, and the file to write.
    model : fitted classifier, network or miner of bicneuron
    X : frame of shape (n_rows, n_columns)
        The table of the fit: names of rows and columns are some of ``obs_names``, ``var_names``.
    key : str, default="bicneuron"
        Name of the entries, which are those of `add_patterns`.
    overwrite : bool, default=False
        Whether to replace an existing file.

    Examples
    --------
    >>> import tempfile, anndata
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> adata = anndata.AnnData(make_subgroups(shift=3.0, n_columns=60, random_state=0).X)
    >>> miner = SubgroupBiclustering(n_patterns=2).fit(adata.to_df())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     adata.write_h5ad(f"{folder}/cells.h5ad")
    ...     path = write_patterns(f"{folder}/cells.h5ad", f"{folder}/a.h5ad", miner, adata.to_df())
    ...     anndata.read_h5ad(path).obsm["bicneuron"].shape == (100, len(miner.patterns_))
    True
    """
    check_patterns(model, "write_patterns")
    model.check_table(X)
    anndata = import_extra("anndata", "AnnData files need anndata; pip install 'bicneuron[omics]'.")
    adata = anndata.read_h5ad(source)
    rows = _positions(adata.obs_names, X.index, "obs_names")
    columns = _positions(adata.var_names, X.columns, "var_names")
    if model.patterns_:
        _add(adata, model, X, rows, columns, key)
    path = Path(path)
    with TemporaryDirectory(dir=path.parent) as folder:
        written = Path(folder) / "written.h5ad"
        adata.write_h5ad(written)
        write_atomically(path, written.read_bytes(), overwrite=overwrite)
    return path


def _positions(known: Any, names: Any, where: str) -> IndexArray:
    """Position of each name; the same rows in the same order may have repeated names."""
    if known.tolist() == names.tolist():
        return np.arange(len(names))
    places = known.get_indexer(names) if known.is_unique else np.full(len(names), -1)
    if np.any(places < 0):
        name = names[int(np.argmax(places < 0))]
        raise ValueError(f"the table has {name!r}, which is not one of the {where} of the file.")
    return np.asarray(places, np.intp)


def _add(adata: Any, model: Any, X: Any, rows: IndexArray, columns: IndexArray, key: str) -> None:
    """Write the three entries; ``rows`` and ``columns`` are the places of those of the table."""
    carriers, found = model.carriers(X), model.patterns_
    of_rows = np.zeros((adata.n_obs, len(found)), np.int8)
    of_columns = np.zeros((adata.n_vars, len(found)), np.int8)
    sizes = []
    for k, pattern in enumerate(found):
        own = pattern.rows if pattern.axis is None else np.flatnonzero(carriers[:, k])
        of_rows[rows[pattern.contrast_rows], k] = -1
        of_rows[rows[own], k] = of_columns[columns[pattern.columns], k] = 1
        sizes.append(len(own))
    adata.obsm[key], adata.varm[key] = csr_matrix(of_rows), csr_matrix(of_columns)
    adata.uns[key] = _table(found, sizes)


def _check_layer(adata: Any, layer: str | None) -> None:
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"the AnnData has no layer {layer!r}; it has {_listed(adata.layers)}.")
    if layer is None and adata.X is None:
        raise ValueError(f"the AnnData has no X; name a layer: {_listed(adata.layers)}.")


def _table(found: Sequence[Pattern], sizes: Sequence[int]) -> Any:
    """One line for each pattern: its sizes, what is known of it, and the results of tests."""
    import pandas as pd

    lines = [
        {
            **({"name": pattern.name} if pattern.name else {}),
            "n_rows": size,
            "n_contrast_rows": len(pattern.contrast_rows),
            "n_columns": len(pattern.columns),
            "kind": pattern.kind,
            "class": "" if pattern.anchor_class is None else str(pattern.anchor_class),
            **{name: getattr(pattern, name) for name in ("strength", "msr", "msr_ratio")},
            **{name: getattr(pattern.evidence, test, None) for name, test in TESTS.items()},
        }
        for pattern, size in zip(found, sizes, strict=True)
    ]
    numbers = [*map(str, range(1, len(lines) + 1))]
    return pd.DataFrame(lines, index=numbers).dropna(axis=1, how="all")


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names)) or "none"
