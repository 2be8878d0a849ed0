"""AnnData files (HDF5), of which nothing is handed to native code before it is checked.

Files come from anywhere: a damaged index of a sparse matrix makes scipy write beside its arrays, a
link may lead to another file, and a few bytes may declare any size.
"""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray
from bicneuron.exceptions import TableError
from bicneuron.tables._budget import Budget
from bicneuron.tables._names import close_to
from bicneuron.tables._sheet import Sheet

_FORMATS = {"csr_matrix": 0, "csc_matrix": 1, "csr": 0, "csc": 1}


def read_h5ad(path: Path, content: bytes, layer: str | None, budget: Budget) -> Sheet:
    """Features from X or a layer, row names and what is known about rows from obs."""
    try:
        import anndata  # noqa: F401
        import h5py
    except ImportError as error:
        raise ImportError(f"{path} needs anndata: pip install 'bicneuron[omics]'.") from error
    with h5py.File(io.BytesIO(content), "r") as file:
        return _Reader(path, budget).read(file, layer)


class _Reader:
    """One file."""

    def __init__(self, path: Path, budget: Budget) -> None:
        self._path = path
        self._budget = budget

    def read(self, file: Any, layer: str | None) -> Sheet:
        obs, var = self._frame(file, "obs"), self._frame(file, "var")
        shape = (len(obs), len(var))
        layers = self._member(file, "layers") if "layers" in file else {}
        if layer is not None and layer not in layers:
            raise TableError(f"{self._path} has no layer {layer!r}.{close_to(layer, layers)}")
        node = self._member(layers, layer) if layer is not None else self._member(file, "X", None)
        if node is None or getattr(node, "shape", ()) is None:
            raise TableError(f"{self._path} has no matrix X; name a layer: {', '.join(layers)}.")
        values = self._matrix(node, shape)
        aside: dict[str, Any] = {
            str(name): column.astype(object).where(column.notna(), None).tolist()
            for name, column in obs.items()
        }
        return Sheet(
            [str(name) for name in var.index],
            list(values.T),
            aside=aside,
            row_names=[str(name) for name in obs.index],
            notes=["features: X" if layer is None else f"features: layer {layer!r}"],
        )

    def _damaged(self, what: str) -> TableError:
        return TableError(f"{self._path} is cut or damaged: {what}. Copy or save it again.")

    def _member(self, group: Any, name: str, *default: Any) -> Any:
        """What a group holds under a name, never what a link of another kind leads to."""
        from h5py import HardLink

        if default and name not in group:
            return default[0]
        if not isinstance(group.get(name, getlink=True), HardLink):
            raise TableError(
                f"{self._path}: {name!r} is a link to another place or file, which is not "
                "followed. Save the data themselves in the file."
            )
        return group[name]

    def _frame(self, file: Any, name: str) -> Any:
        """The table about rows or columns; of columns only their names."""
        from anndata.io import read_elem

        if name not in file:
            raise self._damaged(f"it has no {name}")
        group = self._member(file, name)
        if not hasattr(group, "keys"):
            raise TableError(
                f"{self._path} was written by anndata before 0.7; read and write it with a newer "
                "one."
            )
        for member in group:
            self._check_column(group, member)
        return read_elem(group)

    def _check_column(self, group: Any, name: str) -> None:
        column = self._member(group, name)
        parts = [column]
        if hasattr(column, "keys"):  # codes and categories, or values and a mask
            parts = [self._member(column, part) for part in column]
        for part in parts:
            if hasattr(part, "keys") and name != "__categories":
                raise self._damaged(f"{part.name} is no column")
            self._check_array(part)

    def _check_array(self, dataset: Any) -> None:
        """Refuse what is in other files, and what would be too large."""
        if not hasattr(dataset, "dtype"):
            raise self._damaged(f"{dataset.name} is no array")
        if dataset.is_virtual or dataset.external:
            raise TableError(
                f"{self._path}: {dataset.name} is kept in another file, which is not read. Save "
                "the data themselves in the file."
            )
        if dataset.shape is None:
            return
        n_declared = max(_product(dataset.shape), _product(dataset.chunks or ()))
        self._budget.spend(n_declared * max(dataset.dtype.itemsize, 1))
        if dataset.dtype.kind in "OS":  # text, of which Python makes objects
            self._budget.spend_on_words(_product(dataset.shape), 0)

    def _array(self, dataset: Any, kinds: str) -> AnyArray:
        self._check_array(dataset)
        if dataset.shape is None or dataset.dtype.kind not in kinds:
            raise self._damaged(f"{dataset.name} holds no numbers of the right kind")
        values: AnyArray = dataset[()]
        return values

    def _matrix(self, node: Any, shape: tuple[int, int]) -> AnyArray:
        """A matrix as an array of this shape, however it is stored."""
        n_rows, n_columns = shape
        self._budget.spend_on_cells(n_rows * n_columns, n_rows, 0)
        if not hasattr(node, "keys"):
            values = self._array(node, "fiub")
            self._check_shape(values.shape, shape)
            return values
        kind = node.attrs.get("encoding-type", node.attrs.get("h5sparse_format"))
        if kind not in _FORMATS:
            raise self._damaged(f"{node.name} is a matrix of no known format")
        stated = node.attrs.get("shape", node.attrs.get("h5sparse_shape"))
        self._check_shape(tuple(int(size) for size in np.ravel(stated)), shape)
        return self._dense(node, shape, _FORMATS[kind])

    def _check_shape(self, found: tuple[int, ...], shape: tuple[int, int]) -> None:
        if found != shape:
            raise self._damaged(
                f"its matrix is {' x '.join(map(str, found))}, and it names {shape[0]} rows and "
                f"{shape[1]} columns"
            )

    def _dense(self, group: Any, shape: tuple[int, int], major: int) -> AnyArray:
        from scipy.sparse import csc_array, csr_array

        data = self._array(self._member(group, "data"), "fiub")
        indices = self._array(self._member(group, "indices"), "iu")
        starts = self._array(self._member(group, "indptr"), "iu")
        n_major, n_minor = shape[major], shape[1 - major]
        is_sound = (
            data.ndim == indices.ndim == starts.ndim == 1
            and len(data) == len(indices)
            and len(starts) == n_major + 1
            and starts[0] == 0
            and starts[-1] == len(indices)
            and bool(np.all(starts[1:] >= starts[:-1]))
            and (not len(indices) or (indices.min() >= 0 and indices.max() < n_minor))
        )
        if not is_sound:
            raise self._damaged(f"the indices of {group.name} do not fit its shape")
        kind = csc_array if major else csr_array
        arrays = (data.astype(np.float64), indices.astype(np.int64), starts.astype(np.int64))
        dense: AnyArray = kind(arrays, shape=shape).toarray()
        return dense


def _product(sizes: Iterable[int]) -> int:
    """Of Python numbers, which do not overflow."""
    product = 1
    for size in sizes:
        product *= int(size)
    return product
