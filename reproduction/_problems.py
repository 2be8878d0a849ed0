"""The problems of the paper, of two classes each: twelve data sets and ten pairs of EEG classes."""

from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.datasets import load_breast_cancer

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.datasets import make_ringnorm, make_twonorm
from reproduction.datasets import WaveletFeatures, list_datasets, load_dataset

# Version of the data: "paper" has the columns that leak.
Variant = Literal["clean", "paper"]
# Of tipspam there are no data.
TABLE_SETS = tuple(name for name in list_datasets() if name not in ("eeg", "tipspam"))
EEG_PAIRS = tuple(f"eeg-{first}-{second}" for first, second in combinations("ABCDE", 2))
PROBLEMS = (*TABLE_SETS, *EEG_PAIRS)
QUICK_PROBLEMS = ("ringnorm", "twonorm", "wdbc")
QUICK_ROWS = 600


def is_eeg(name: str) -> bool:
    """Return True for a pair of EEG classes, False for a data set of Table 2."""
    return name in EEG_PAIRS


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows of two classes; the smaller class has the label -1."""

    name: str
    X: FloatArray
    y: IndexArray
    groups: AnyArray | None = None

    @classmethod
    def from_labels(
        cls, name: str, X: FloatArray, labels: AnyArray, groups: AnyArray | None = None
    ) -> "Problem":
        """Build a problem from rows with any two labels."""
        classes, counts = np.unique(labels, return_counts=True)
        if len(classes) != 2:
            raise ValueError(f"{name} has {len(classes)} classes; two are needed.")
        minority = classes[np.argmin(counts)]
        X = np.ascontiguousarray(X, dtype=np.float64)
        return cls(name, X, np.where(labels == minority, -1, 1), groups)

    def take(self, rows: IndexArray) -> "Problem":
        """Some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        return Problem(self.name, self.X[rows], self.y[rows], groups)

    @cached_property
    def digest(self) -> str:
        """Fingerprint of the data, stored in each record."""
        content = blake2b(self.X.tobytes(), digest_size=8)
        content.update(self.y.astype("<i8").tobytes())
        return content.hexdigest()


def load_problem(name: str, variant: Variant, data_home: Path | None = None) -> Problem:
    """Load a problem by its name."""
    if is_eeg(name):
        features, labels = _eeg_features(data_home)
        rows = np.isin(labels, name.split("-")[1:])
        return Problem.from_labels(name, features[rows], labels[rows])
    found = load_dataset(name, variant=variant, data_home=data_home)
    return Problem.from_labels(name, found.data, found.target, found.groups)


def quick_problem(name: str, variant: Variant = "clean") -> Problem:
    """Return a problem that needs no file: wdbc, or a generated sample of ringnorm or twonorm.

    There is a clean variant only.
    """
    if name == "wdbc":
        return Problem.from_labels(name, *load_breast_cancer(return_X_y=True))
    make: Any = {"ringnorm": make_ringnorm, "twonorm": make_twonorm}[name]
    return Problem.from_labels(name, *make(QUICK_ROWS, random_state=0))


@cache
def _eeg_features(data_home: Path | None) -> tuple[FloatArray, AnyArray]:
    found = load_dataset("eeg", data_home=data_home)
    return WaveletFeatures().fit_transform(found.data), np.asarray(found.target)
