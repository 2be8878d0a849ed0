"""Records of folds and headers of model files with flipped bits: refused, or the same content."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bicneuron.exceptions import ModelFileError
from bicneuron.persistence import load_about, load_model, save_model
from hardening._judge import expect, may_refuse
from reproduction._records import FoldRecord, read_record, record_path, versions, write_record
from reproduction.exceptions import ExperimentError
from tests.data import classifier, make_one_factor
from tests.fold_records import make_fold
from tests.model_damage import HEADER, archive_of, cut, entries_of, flip, insert, remove

_SETTINGS = {"seed": 0, "folds": 10, "data": "ab", "estimator": "SP()"}
_ABOUT = {"table": "a.csv", "n_rows": 120, "steps": [{"column": "b", "value": 1.25}]}
_PLACE = record_path("clean", "wdbc", "SP", 3)


def draw_case(random: np.random.Generator, folder: Path) -> None:
    """Damage a record or the header of a model, and read it."""
    change = [flip, flip, flip, _flip_one, _flip_one, cut, insert, remove][random.integers(8)]
    [_damage_record, _damage_header][random.integers(2)](change, random, folder)


def _damage_record(change: Any, random: np.random.Generator, folder: Path) -> None:
    record = make_fold(
        "clean", "wdbc", "SP", 3, 1 / 3, 0.75, settings=_SETTINGS, versions=versions()
    )
    write_record(folder, record)
    path = folder / _PLACE
    path.write_bytes(change(path.read_bytes(), random))
    with may_refuse(ExperimentError):
        found = read_record(path, _SETTINGS, FoldRecord)
    expect(found == record, f"a damaged record was accepted as {found}")


def _damage_header(change: Any, random: np.random.Generator, folder: Path) -> None:
    content, about, scores, rows = _saved()
    path, entries = folder / "model.skops", entries_of(content)
    # Inside of the archive, whose own checksums are made anew.
    path.write_bytes(archive_of({**entries, HEADER: change(entries[HEADER], random)}))
    with may_refuse(ModelFileError):
        found = load_about(path)
    expect(found == about, f"a damaged header was accepted as {found}")
    with may_refuse(ModelFileError):
        model = load_model(path)
    expect(model.decision_function(rows).tolist() == scores, "another model was accepted")


def _flip_one(content: bytes, random: np.random.Generator) -> bytes:
    damaged = bytearray(content)
    damaged[random.integers(len(content))] ^= 1 << int(random.integers(8))
    return bytes(damaged)


@cache
def _saved() -> tuple[bytes, Any, list[float], Any]:
    """A model file, its header, and scores of rows."""
    X, y = make_one_factor()
    model = classifier().fit(X, y)
    with TemporaryDirectory() as folder:
        path = save_model(model, Path(folder, "model.skops"), about=_ABOUT)
        return path.read_bytes(), load_about(path), model.decision_function(X).tolist(), X
