"""Rival: UnPaSt, where it is installed."""

import contextlib
import io
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron.metrics._recovery import BlockLike
from studies.discovery.rows import case_rows


def has_unpast() -> bool:
    """Return True if the package is installed; it is no dependency."""
    return find_spec("unpast") is not None


def unpast(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """UnPaSt with its defaults on the cases, in the order of the signal-to-noise ratio."""
    import pandas as pd

    run = import_module("unpast.run_unpast").unpast
    rows = case_rows(X, y)
    table = pd.DataFrame(
        X[rows].T,
        index=[f"g{column}" for column in range(X.shape[1])],
        columns=[f"s{row}" for row in rows],
    )
    with TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        path = Path(folder) / "table.tsv"
        table.to_csv(path, sep="\t")
        run(str(path), out_dir=folder, no_binary_save=True)
        result = Path(folder) / "biclusters.tsv"
        if not result.exists():  # no column passed its tests
            return []
        found = pd.read_csv(result, sep="\t", comment="#")
    found = found.sort_values("SNR", ascending=False, kind="stable")
    return [
        (_numbers(samples), _numbers(genes))
        for samples, genes in zip(found["samples"], found["genes"], strict=True)
    ]


def _numbers(names: str) -> AnyArray:
    """Numbers of rows or columns from names such as ``g12 g7``."""
    return np.sort([int(name[1:]) for name in names.split()])
