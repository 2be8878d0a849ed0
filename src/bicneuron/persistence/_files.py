"""Save, load and describe model files; the suffix decides the format."""

import os
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from bicneuron._shared._files import write_atomically
from bicneuron._shared._version import __version__
from bicneuron.exceptions import ModelFileError, ModelVersionWarning
from bicneuron.persistence._archive import load_header, make_header

# Modules that write each format; they are imported when they are needed.
FORMATS = {".skops": "_skops", ".onnx": "_onnx"}
PathLike = str | os.PathLike[str]


def save_model(
    model: Any, path: PathLike, *, about: dict[str, Any] | None = None, overwrite: bool = False
) -> Path:
    """Write a fitted model to a file, whose path is returned.

    Parameters
    ----------
    model : fitted estimator
        A model of bicneuron, or a scikit-learn pipeline of common steps that ends in one, such as
        a `bicneuron.tables.TableEncoder` and a model.
    path : path-like
        The suffix is the format. ``.skops``, which is added where there is none, takes every model.
        ``.onnx`` is an export of models of perceptrons and networks that cannot be loaded again.
    about : dict, default=None
        Anything that JSON can hold; `load_about` returns it.
    overwrite : bool, default=False
        Replace an existing file.

    Raises
    ------
    ModelFileError
        If the file exists, or the model holds a type that model files may not hold.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.persistence import load_about, load_model, save_model
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BicNeuronClassifier(search=None, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_model(model, f"{folder}/breast.skops", about={"table": "breast.csv"})
    ...     load_about(path)["about"], bool((load_model(path).predict(X) == model.predict(X)).all())
    ({'table': 'breast.csv'}, True)
    """
    from sklearn.utils.validation import check_is_fitted

    from bicneuron.tables._encoder import apart

    path = Path(path)
    path = path if path.suffix else path.with_suffix(".skops")
    suffix = _check_suffix(path)
    decider = apart(model)[1]
    if hasattr(decider, "fit") or not hasattr(decider, "n_features_in_"):  # but findings
        check_is_fitted(model)
    writer = import_module(f"bicneuron.persistence.{FORMATS[suffix]}")
    content = writer.dump(model, make_header(decider, about))
    try:
        write_atomically(path, content, overwrite=overwrite)
    except FileExistsError as error:
        message = f"{path} exists already; choose another name or overwrite=True."
        raise ModelFileError(message) from error
    except OSError as error:  # name the file, not the temporary one
        raise OSError(error.errno, error.strerror, str(path)) from error
    return path


def load_model(path: PathLike) -> Any:
    """Read a fitted model from a file, without running any code that the file names.

    Parameters
    ----------
    path : path-like
        A ``.skops`` file.

    Raises
    ------
    ModelFileError
        If the file is damaged, of another format, or holds a type that model files may not hold.

    Warns
    -----
    ModelVersionWarning
        If another minor version of bicneuron wrote the file.

    Examples
    --------
    >>> from bicneuron.persistence import load_model
    >>> load_model("notes.txt")
    Traceback (most recent call last):
        ...
    bicneuron.exceptions.ModelFileError: notes.txt is not a model file: its name must
    end in .skops or .onnx.
    """
    path = Path(path)
    with _content(path) as content:
        from bicneuron.persistence._skops import load

        header, model = load(content)
    written = header["versions"].get("bicneuron", "?")
    if written.split(".")[:2] != __version__.split(".")[:2]:
        warnings.warn(
            f"{path} was written by bicneuron {written}, and this is {__version__}: predictions "
            "may differ. Fit the model again, or install that version.",
            ModelVersionWarning,
            stacklevel=2,
        )
    return model


def load_about(path: PathLike) -> dict[str, Any]:
    """Read the header of a model file without building the model.

    Parameters
    ----------
    path : path-like
        A ``.skops`` file.

    Returns
    -------
    header : dict
        ``format``, a number; ``versions`` of what wrote the file; ``class`` of the model, of that
        behind an encoder of tables; and ``about``, as it was given to `save_model`.

    Examples
    --------
    >>> load_about("breast.skops")["class"]  # doctest: +SKIP
    'BicNeuronClassifier'
    """
    with _content(Path(path)) as content:
        return load_header(content)


def _check_suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix == ".json":
        raise ModelFileError(
            f"{path}: models are no longer kept as JSON; fit the model again and save it as .skops."
        )
    if suffix not in FORMATS:
        raise ModelFileError(
            f"{path} is not a model file: its name must end in {' or '.join(FORMATS)}."
        )
    return suffix


@contextmanager
def _content(path: Path) -> Iterator[bytes]:
    """The content of a file to load, whose name is in what is raised."""
    if _check_suffix(path) == ".onnx":
        raise ModelFileError(
            f"{path} is an export; run it with onnxruntime, and keep a .skops file to load."
        )
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a pipe may never end
        raise ModelFileError(f"{path} is a pipe or a device, not a file; copy it to a file.")
    content = path.read_bytes()
    try:
        yield content
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}") from error.__cause__
    except ImportError:
        raise
    except Exception as error:  # a damaged file can make the reader fail in any way
        raise ModelFileError(
            f"{path} is damaged: {type(error).__name__}: {str(error).rstrip('.')}. Copy it again."
        ) from error
