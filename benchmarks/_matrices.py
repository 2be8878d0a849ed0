"""Input matrices: those of the paper if their files exist, else generated with the same shapes."""

import os

import numpy as np

from benchmarks._bench import Size
from reproduction._problems import load_problem

SHAPES = {
    "chen": (179, 85),
    "colon": (62, 2000),
    "lsvt": (126, 310),
    "ringnorm": (7400, 20),
    "singh": (102, 339),
    "sonar": (208, 60),
    "spambase": (4601, 57),
    "wdbc": (569, 30),
}


def matrix(name: str) -> tuple[np.ndarray, np.ndarray, str]:
    """Rows, labels and a name, which starts with "like" if they are generated."""
    if os.environ.get("BICNEURON_DATA"):
        problem = load_problem(name, "clean")
        return problem.X, problem.y, name
    return *planted(*SHAPES[name]), f"like {name}"


def matrices(size: Size) -> list[tuple[np.ndarray, np.ndarray, str]]:
    """All matrices, or a tiny one."""
    if size == "tiny":
        return [(*planted(120, 12), "planted")]
    return [matrix(name) for name in SHAPES]


def planted(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal noise of two classes, with a pattern in an eighth of the rows, all of one class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    y = np.where(np.arange(n_rows) % 2, 1, -1)
    pattern = np.flatnonzero(y == -1)[: max(n_rows // 8, 5)]
    X[pattern, :4] = rng.normal(3, 0.05, (len(pattern), 4))
    return X, y


def shape_of(X: np.ndarray) -> str:
    return " x ".join(f"{length:,}" for length in X.shape)
