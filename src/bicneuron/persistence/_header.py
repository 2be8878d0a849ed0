"""The header of a model file: versions, class and what the user says about the model."""

import json
import platform
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bicneuron._shared._files import is_whole
from bicneuron._shared._version import __version__
from bicneuron.exceptions import ModelFileError, ModelVersionWarning

FORMAT = 10


def make_header(model: Any, about: dict[str, Any] | None) -> dict[str, Any]:
    """Make the header of a new file."""
    try:
        about = json.loads(json.dumps(dict(about or {}), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"about cannot be written as JSON: {error}.") from error
    return {
        "format": FORMAT,
        "versions": {
            "bicneuron": __version__,
            "scikit-learn": version("scikit-learn"),
            "numpy": version("numpy"),
            "python": platform.python_version(),
        },
        "class": type(model).__name__,
        "about": about,
    }


def check_header(header: Any) -> dict[str, Any]:
    """Refuse what is not a header, one of an older or newer format, and one that was altered."""
    if not isinstance(header, dict) or type(header.get("format")) is not int:
        raise ModelFileError("is not a model file of bicneuron.")
    if header["format"] > FORMAT:
        raise ModelFileError(
            f"has file format {header['format']}, and bicneuron {__version__} reads "
            f"{FORMAT}; update bicneuron."
        )
    if header["format"] < FORMAT:
        raise ModelFileError(
            f"has file format {header['format']}: a development version wrote it before the first "
            "release of bicneuron. Fit the model again and save it."
        )
    if not is_whole(header):
        raise ModelFileError("is damaged: its checksum differs.")
    return {
        "format": header["format"],
        "versions": {name: str(header["versions"][name]) for name in header["versions"]},
        "class": str(header["class"]),
        "about": dict(header["about"]),
    }


def warn_of_version(path: Path, header: dict[str, Any]) -> None:
    """Warn if another minor version of bicneuron wrote the file."""
    written = header["versions"].get("bicneuron", "?")
    if written.split(".")[:2] != __version__.split(".")[:2]:
        warnings.warn(
            f"{path} was written by bicneuron {written}, and this is {__version__}: predictions "
            "may differ. Fit the model again, or install that version.",
            ModelVersionWarning,
            stacklevel=3,
        )
