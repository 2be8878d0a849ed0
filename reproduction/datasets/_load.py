"""Load a data set of the paper."""

import os
import warnings
from collections.abc import Callable
from typing import Literal, overload

import numpy as np
from sklearn.utils import Bunch

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.datasets._breiman import make_ringnorm, make_twonorm
from reproduction.datasets._files import LabelledValues, order_warning, read_verified
from reproduction.datasets._registry import DatasetInfo, dataset_info, get_data_home
from reproduction.exceptions import DatasetCorruptError, DatasetNotFoundError

Variant = Literal["clean", "paper"]

# As the file spells them; scikit-learn says "mean radius" for radius_mean.
_WDBC_MEASURES = (
    *("radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity"),
    *("concave points", "symmetry", "fractal_dimension"),
)


@overload
def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = ...,
    variant: Variant = ...,
    return_X_y: Literal[False] = ...,
) -> Bunch: ...
@overload
def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = ...,
    variant: Variant = ...,
    return_X_y: Literal[True],
) -> tuple[FloatArray, AnyArray]: ...
def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    variant: Variant = "clean",
    return_X_y: bool = False,
) -> Bunch | tuple[FloatArray, AnyArray]:
    """Load one of the paper's data sets from a verified file.

    Without a file, wdbc comes from scikit-learn (the same rows in the same order), and twonorm and
    ringnorm are generated: other samples of the same distributions, and ``DESCR`` says so. All
    other sets need their file; see `fetch_dataset`.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    data_home : str or path-like, default=None
        Folder with the files; None as in `get_data_home`.
    variant : {"clean", "paper"}, default="clean"
        "paper" gives the features that the printed tables were made with, leaks included: the row
        index as feature 61 of sonar, the number of the patient as feature 1 of wdbc. It needs the
        rows in the registered order, and nothing is generated for it.
    return_X_y : bool, default=False
        If True, return ``(data, target)`` only.

    Returns
    -------
    Bunch or (data, target)
        ``data`` : ndarray of shape (n_rows, n_features), float64; for eeg the raw signals, see
        `WaveletFeatures`. ``target`` : ndarray of shape (n_rows,), the labels as text.
        ``feature_names`` : list of str. ``groups`` : ndarray of shape (n_rows,), the person of each
        row, or None if every row is another person or persons are not known. ``name`` : str.
        ``source`` : "file", "scikit-learn" or "generated". ``info`` : DatasetInfo. ``DESCR`` : str.

    Warns
    -----
    DatasetOrderWarning
        The file has the rows in another order than the registered one.

    Examples
    --------
    >>> from reproduction.datasets import load_dataset
    >>> wdbc = load_dataset("wdbc")
    >>> wdbc.data.shape, wdbc.target[:3].tolist()
    ((569, 30), ['M', 'M', 'M'])
    """
    if variant not in ("clean", "paper"):
        raise ValueError(f'variant must be "clean" or "paper", got {variant!r}.')
    info = dataset_info(name)
    table, source, is_ordered = _find(info, data_home, variant)
    if variant == "paper" and info.paper_row_index:
        index = np.arange(len(table.data), dtype=np.float64)
        names, data = [*table.feature_names, "row_index"], np.column_stack([table.data, index])
        table = table._replace(feature_names=names, data=data)
    if return_X_y:
        return table.data, table.target
    return Bunch(
        data=table.data,
        target=table.target,
        feature_names=table.feature_names,
        groups=np.array(info.subjects) if info.subjects is not None and is_ordered else None,
        name=name,
        source=source,
        info=info,
        DESCR=_describe(info, table, variant, source),
    )


def _find(
    info: DatasetInfo, data_home: str | os.PathLike[str] | None, variant: Variant
) -> tuple[LabelledValues, str, bool]:
    """Return the table, where it comes from, and whether its rows are in the registered order."""
    if info.file is None:
        raise DatasetNotFoundError(info.unavailable)
    file = info.paper_file if variant == "paper" and info.paper_file else info.file
    path = get_data_home(data_home) / file.name
    if path.is_file():
        table, is_ordered = read_verified(path, info, file)
        if not is_ordered and variant == "paper":
            raise DatasetCorruptError(
                f"{path} has its rows in another order than the printed tables were made with. "
                f'Use variant="clean" or the registered {file.name}.'
            )
        if not is_ordered:
            warnings.warn(order_warning(info, path), stacklevel=3)
        return table, "file", is_ordered
    if variant == "clean" and info.stand_in is not None:
        return _STAND_INS[info.name](), info.stand_in, True
    raise DatasetNotFoundError(
        f"{info.name} (variant={variant!r}) has no file {path}. {info.how_to_get(path)}"
    )


def _wdbc() -> LabelledValues:
    from sklearn.datasets import load_breast_cancer  # imports pandas where it is installed

    bunch = load_breast_cancer()
    names = [f"{measure}_{kind}" for kind in ("mean", "se", "worst") for measure in _WDBC_MEASURES]
    return LabelledValues(names, bunch.data, np.where(bunch.target == 1, "B", "M"))


def _generated(make: Callable[..., tuple[FloatArray, IndexArray]]) -> LabelledValues:
    data, target = make(random_state=0)
    return LabelledValues([f"f{j + 1}" for j in range(data.shape[1])], data, target.astype(str))


_STAND_INS: dict[str, Callable[[], LabelledValues]] = {
    "ringnorm": lambda: _generated(make_ringnorm),
    "twonorm": lambda: _generated(make_twonorm),
    "wdbc": _wdbc,
}


def _describe(info: DatasetInfo, table: LabelledValues, variant: Variant, source: str) -> str:
    labels, counts = np.unique(table.target, return_counts=True)
    classes = ", ".join(f"{label} {count}" for label, count in zip(labels, counts, strict=True))
    lines = [
        f"{info.title}.",
        f"shape: {table.data.shape[0]} x {table.data.shape[1]}; classes: {classes}",
        f"in the paper: {info.paper_shape[0]} x {info.paper_shape[1]}",
        f"published: {info.source}",
        f"licence: {info.licence}",
        f"source: {source}",
    ]
    if source == "generated":
        lines[-1] += " (random_state=0), another sample than the paper's"
    if variant == "paper" and info.paper_leak:
        lines.append(f"leak: {info.paper_leak}")
    return "\n".join(lines) + "\n"
