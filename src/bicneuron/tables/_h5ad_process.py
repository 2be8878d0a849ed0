"""The process that reads an AnnData file for `bicneuron.tables._h5ad`.

Nothing is handed to native code before it is checked: a wrong index of a sparse matrix makes scipy
write beside its arrays, a link may lead to another file, and a few bytes may declare any size.
"""

import json
import sys
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # nothing else of the package is loaded, so that it starts at once
    from bicneuron._core._arrays import AnyArray, FloatArray

_AXES = {"csr_matrix": 0, "csc_matrix": 1, "csr": 0, "csc": 1}
_NUMBERS, _WHOLE = "fiub", "iu"
# Bytes of a text of Python, and of a number for the table and for what is made of it.
_OF_TEXT, _OF_NUMBER = 100, 24


class _UnreadableError(Exception):
    """The kind of problem and what is said of it.

    A description of the damage, the reason why a file is refused, to follow its name, or the
    existing layers.
    """


def _damaged(what: str) -> _UnreadableError:
    return _UnreadableError("damage", what)


def _refused(why: str) -> _UnreadableError:
    return _UnreadableError("refused", why)


class _File:
    """An open file, and the number of bytes that may be read from it."""

    def __init__(self, file: Any, n_bytes: int) -> None:
        self._file = file
        self._left = n_bytes

    def read(self, layer: str | None) -> tuple[dict[str, Any], "FloatArray"]:
        """Facts for JSON, and the columns of the matrix as rows."""
        obs, var = self._frame("obs"), self._frame("var")
        rows, columns = self._index(obs), self._index(var)
        matrix = self._matrix(self._chosen(layer), (len(rows), len(columns)))
        aside = {name: self._column(obs, name, len(rows)) for name in _columns_of(obs)}
        values = np.ascontiguousarray(matrix.T, dtype=np.float64)
        return {"rows": rows, "columns": columns, "aside": aside, "shape": values.shape}, values

    def _chosen(self, layer: str | None) -> Any:
        layers = self._member(self._file, "layers") if "layers" in self._file else {}
        if layer is None:
            node = self._member(self._file, "X") if "X" in self._file else None
            if node is None or getattr(node, "shape", ()) is None:
                raise _refused(f" has no matrix X; name a layer: {', '.join(layers)}.")
            return node
        if layer not in layers:
            raise _UnreadableError("layers", [*layers])
        return self._member(layers, layer)

    def _member(self, group: Any, name: str) -> Any:
        """Return the member of a group; links to other files are refused."""
        from h5py import HardLink

        if name not in group and group.get(name, getlink=True, default=None) is None:
            raise _damaged(f"it has no {group.name.rstrip('/')}/{name}")
        if not isinstance(group.get(name, getlink=True), HardLink):
            raise _refused(
                f": {name!r} is a link to another place or file, which is not followed. Save the "
                "data themselves in the file."
            )
        return group[name]

    def _spend(self, n_bytes: int) -> None:
        self._left -= n_bytes
        if self._left < 0:
            raise MemoryError

    def _array(self, dataset: Any, kinds: str) -> "AnyArray":
        """An array of one of these kinds of numbers or, for "O", of text."""
        if not hasattr(dataset, "dtype"):
            raise _damaged(f"{dataset.name} is no array")
        if dataset.is_virtual or dataset.external:
            raise _refused(
                f": {dataset.name} is kept in another file, which is not read. Save the data "
                "themselves in the file."
            )
        if dataset.shape is None:
            raise _damaged(f"{dataset.name} holds nothing")
        n_values, n_in_chunk = prod(dataset.shape), prod(dataset.chunks or ())
        self._spend(max(n_values, n_in_chunk) * max(dataset.dtype.itemsize, 1))
        is_text = dataset.dtype.kind in "OS"
        if ("O" if is_text else dataset.dtype.kind) not in kinds:
            raise _damaged(f"{dataset.name} holds values of another kind")
        if not is_text:
            values: AnyArray = dataset[()]
            return values
        self._spend(_OF_TEXT * n_values)
        return np.asarray(dataset.asstr()[()])

    def _frame(self, name: str) -> Any:
        group = self._member(self._file, name)
        if not hasattr(group, "keys"):
            raise _refused(
                " was written by anndata before 0.7; read and write it with a newer one."
            )
        return group

    def _index(self, frame: Any) -> list[str]:
        name = frame.attrs["_index"]
        return [str(value) for value in self._values(frame, str(name))]

    def _column(self, frame: Any, name: str, n_rows: int) -> list[Any]:
        values = self._values(frame, name)
        if len(values) != n_rows:
            raise _damaged(f"{frame.name}/{name} has {len(values)} values for {n_rows} rows")
        return [None if value != value else value for value in values]  # NaN is not itself

    def _values(self, frame: Any, name: str) -> list[Any]:
        """A column as plain values, None where a value is missing."""
        column = self._member(frame, name)
        if hasattr(column, "keys") and "codes" in column:
            codes, categories = self._member(column, "codes"), self._member(column, "categories")
            return self._categories(codes, self._array(categories, _NUMBERS + "O"))
        if hasattr(column, "keys"):
            values = self._array(self._member(column, "values"), _NUMBERS + "O")
            mask = self._array(self._member(column, "mask"), "b")
            if values.ndim != 1 or values.shape != mask.shape:
                raise _damaged(f"{column.name} and its mask differ in length")
            pairs = zip(values.tolist(), mask.tolist(), strict=True)
            return [None if is_missing else value for value, is_missing in pairs]
        if "__categories" in frame and name in frame["__categories"]:  # anndata 0.7
            known = self._member(self._member(frame, "__categories"), name)
            return self._categories(column, self._array(known, _NUMBERS + "O"))
        values = self._array(column, _NUMBERS + "O")
        if values.ndim != 1:
            raise _damaged(f"{column.name} is no column")
        return list(values.tolist())

    def _categories(self, dataset: Any, categories: "AnyArray") -> list[Any]:
        codes = self._array(dataset, _WHOLE)
        known = [*categories.ravel().tolist(), None]  # -1 is none of them
        if codes.ndim != 1 or (len(codes) and (codes.min() < -1 or codes.max() >= len(known) - 1)):
            raise _damaged(f"{dataset.name} names categories that are not there")
        return [known[code] for code in codes.tolist()]

    def _matrix(self, node: Any, shape: tuple[int, int]) -> "AnyArray":
        """A matrix of this shape, however it is stored."""
        self._spend(_OF_NUMBER * prod(shape))
        if not hasattr(node, "keys"):
            values = self._array(node, _NUMBERS)
            _check_shape(values.shape, shape)
            return values
        kind = node.attrs.get("encoding-type", node.attrs.get("h5sparse_format"))
        stated = node.attrs.get("shape", node.attrs.get("h5sparse_shape"))
        if kind not in _AXES or stated is None:
            raise _damaged(f"{node.name} is a matrix of no known format")
        _check_shape(tuple(int(size) for size in np.ravel(stated)), shape)
        return self._dense(node, shape, _AXES[kind])

    def _dense(self, group: Any, shape: tuple[int, int], axis: int) -> "AnyArray":
        from scipy.sparse import csc_array, csr_array

        data = self._array(self._member(group, "data"), _NUMBERS)
        indices = self._array(self._member(group, "indices"), _WHOLE)
        starts = self._array(self._member(group, "indptr"), _WHOLE)
        is_sound = (
            data.ndim == indices.ndim == starts.ndim == 1
            and len(data) == len(indices)
            and len(starts) == shape[axis] + 1
            and starts[0] == 0
            and starts[-1] == len(indices)
            and bool(np.all(starts[1:] >= starts[:-1]))
            and (not len(indices) or (indices.min() >= 0 and indices.max() < shape[1 - axis]))
        )
        if not is_sound:
            raise _damaged(f"the indices of {group.name} do not fit its shape")
        kind = csc_array if axis else csr_array
        arrays = (data.astype(np.float64), indices.astype(np.int64), starts.astype(np.int64))
        dense: AnyArray = kind(arrays, shape=shape).toarray()
        return dense


def _columns_of(frame: Any) -> list[str]:
    """Names of the columns in their order, without the index."""
    index = frame.attrs["_index"]
    there = [name for name in frame if name not in (index, "__categories")]
    stated = frame.attrs.get("column-order")
    order = [] if stated is None else [str(name) for name in np.ravel(stated)]
    if sorted(order) != sorted(there):
        raise _damaged(f"{frame.name} names other columns than it has")
    return order


def _check_shape(found: tuple[int, ...], shape: tuple[int, int]) -> None:
    if found != shape:
        raise _damaged(
            f"its matrix is {' x '.join(map(str, found))}, and it names {shape[0]} rows and "
            f"{shape[1]} columns"
        )


def _answer(request: dict[str, Any]) -> tuple[dict[str, Any], "FloatArray"]:
    import h5py

    nothing = np.empty((0, 0))
    try:
        with h5py.File(request["file"], "r") as file:
            return _File(file, request["n_bytes"]).read(request["layer"])
    except _UnreadableError as error:
        return dict([error.args]), nothing
    except MemoryError:
        return {"too much": True}, nothing
    except Exception as error:  # of any kind: libraries fail in more ways than they document
        return {"damage": f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"}, nothing


if __name__ == "__main__":
    about, values = _answer(json.loads(sys.argv[1]))
    sys.stdout.buffer.write(json.dumps(about).encode() + b"\n")
    sys.stdout.buffer.write(values.data.cast("B") if values.size else b"")
    sys.stdout.buffer.flush()
