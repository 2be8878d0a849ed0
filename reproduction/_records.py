"""The record of one fold, and its file."""

import json
import math
import platform
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from bicneuron._shared._files import CHECKSUM, is_whole, sealed, write_atomically
from bicneuron._shared._version import __version__
from reproduction.exceptions import DamagedRecordError, ExperimentError

SCHEMA = 5
# Longer values (an estimator with all its parameters) are not shown in a message.
LONGEST = 60
MEASURES = ("acc", "acc_minority", "acc_majority", "label_auc", "score_auc", "brier")


@dataclass(frozen=True, kw_only=True)
class Record:
    """Result of one run: where it belongs and what it depends on."""

    protocol: str
    dataset: str
    model: str
    fold: int
    seconds: float
    settings: dict[str, Any]
    versions: dict[str, str]
    schema: int = SCHEMA

    def flaw(self) -> str | None:
        """Say what is wrong with the numbers of a record that was read."""
        return None


AnyRecord = TypeVar("AnyRecord", bound=Record)


@dataclass(frozen=True, kw_only=True)
class FoldRecord(Record):
    """Result of one fold of one model on one data set under one protocol.

    Parameters
    ----------
    protocol, dataset, model : str
    fold : int
        Counted from 0.
    acc, acc_minority, acc_majority, label_auc, score_auc : float or None
        Measures on the test rows; None where these hold one class only.
    brier : float or None
        Mean squared error of the probability of the majority; None for models that give none.
    fallback : bool or None
        No contrastive pair survived, so that one neuron on everything decided; None for models
        that have no fallback.
    row_share, column_share : float or None
        Of the anchor class and of all columns, in the pair of a single neuron; None for others.
    inner_score : float or None
        Mean score, over the inner folds, of what an inner cross-validation chose; None without
        one, or where no choice had a score in every inner fold.
    params : dict
        What an inner cross-validation chose.
    n_train, n_test : int
        Numbers of rows.
    warned : list of str
        Categories of the warnings that the fit gave.
    seconds : float
        Time of fit and prediction.
    settings : dict
        Everything the numbers depend on: seed, folds, fingerprint of the data, estimator.
    versions : dict
        Versions of Python and of the libraries.
    schema : int
        Version of this list of fields.
    """

    acc: float
    acc_minority: float | None
    acc_majority: float | None
    label_auc: float | None
    score_auc: float | None
    brier: float | None
    fallback: bool | None
    row_share: float | None
    column_share: float | None
    inner_score: float | None
    params: dict[str, Any]
    n_train: int
    n_test: int
    warned: list[str]

    def flaw(self) -> str | None:
        """Say what is wrong with the numbers of a record that was read."""
        if not _is_share(self.acc) or not all(
            value is None or _is_share(value) for value in (getattr(self, m) for m in MEASURES)
        ):
            return "holds measures that are not numbers in [0, 1]"
        if self.inner_score is not None and not _is_finite(self.inner_score):
            return "holds an inner score that is not a number"
        return None


@cache
def versions() -> dict[str, str]:
    """Versions of everything that could change a number."""
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "numba")}
    return {
        "bicneuron": __version__,
        "python": platform.python_version(),
        **libraries,
    }


def record_path(protocol: str, dataset: str, model: str, fold: int) -> Path:
    """File of a fold inside the output folder."""
    return Path("records") / protocol / dataset / model / f"{fold}.json"


def write_record(out: Path, record: Record) -> None:
    """Write the record of a finished fold, with a checksum."""
    path = out / record_path(record.protocol, record.dataset, record.model, record.fold)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(sealed(asdict(record)), indent=1) + "\n")


def read_record(path: Path, settings: dict[str, Any], kind: type[AnyRecord]) -> AnyRecord:
    """Read the record of a finished fold."""
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DamagedRecordError(f"{path} is damaged: it is not complete JSON.") from error
    if not isinstance(content, dict) or not {"schema", CHECKSUM} & set(content):
        raise _refused(path, "is not a fold record")
    # Records of older schemata have no checksum.
    if (CHECKSUM in content or content["schema"] == SCHEMA) and not is_whole(content):
        raise DamagedRecordError(f"{path} is damaged: its checksum differs.")
    _check_equal(path, {"schema": content.get("schema")}, {"schema": SCHEMA})
    del content[CHECKSUM]
    if set(content) != {field.name for field in fields(kind)}:
        raise _refused(path, "is not a fold record")
    record = kind(**content)
    place = (record.protocol, record.dataset, record.model, f"{record.fold}.json")
    if place != path.parts[-4:]:
        raise _refused(path, f"holds the fold {'/'.join(place)}")
    flaw = record.flaw()
    if flaw is not None:
        raise _refused(path, flaw)
    _check_equal(path, record.versions, versions())
    _check_equal(path, record.settings, settings)
    return record


def _is_share(value: Any) -> bool:
    return _is_finite(value) and 0 <= value <= 1


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _check_equal(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    for key in dict.fromkeys([*wanted, *found]):
        one, other = str(found.get(key)), str(wanted.get(key))
        if found.get(key) != wanted.get(key):
            brief = max(len(one), len(other)) <= LONGEST
            what = f"{key} {one}, not {other}" if brief else f"another {key}"
            raise _refused(path, f"was made with {what}")


def _refused(path: Path, reason: str) -> ExperimentError:
    return ExperimentError(
        f"{path} {reason}; choose another --out, or run such folds again with --force."
    )
