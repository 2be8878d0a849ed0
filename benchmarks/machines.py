"""The same models on every machine: fits are repeated as other processors would compute them.

    python -m benchmarks.machines [--parts miners networks cohorts] [--variants NAME ...]

Each variant runs in a process of its own, with other kernels of numpy, OpenBLAS and numba, or with
another number of threads. Patterns, their rows and columns and predicted labels have to be equal,
and scores within 1e-8; float32 quantities, which the search for groups has, within 1e-5. Prints the
fits that differ, and exits with 1 if more than 1 % do.
"""

import argparse
import os
import pickle
import platform
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from benchmarks.model_hashes import PARTS, Result, decided, flat, mined
from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.datasets import make_cohorts
from bicneuron.network import PatternClassifier

TOLERANCE, TOLERANCE_FLOAT32 = 1e-8, 1e-5
# Share of the fits that may differ; docs/reliability.md names them.
MOST_DIFFERENT = 0.01
SEEDS = range(20)
# Kernels of OpenBLAS, and the feature of numpy's list without which they would not run.
X86_KERNELS = {"Prescott": "SSE3", "Haswell": "AVX2", "SkylakeX": "AVX512F"}
ARM_KERNELS = {"ARMV8": "NEON", "CORTEXA57": "NEON", "NEOVERSEN1": "ASIMD"}


def has(feature: str) -> bool:
    """True if the processor has a feature, by one of the names that releases of numpy give it."""
    names = {"AVX2": ("AVX2", "X86_V3"), "AVX512F": ("AVX512F", "X86_V4")}
    names["SSE3"] = ("SSE3", "X86_V2")
    return any(__cpu_features__.get(name, False) for name in names.get(feature, (feature,)))


def variants() -> dict[str, dict[str, str]]:
    """Settings of the environment, by name; only those that this machine knows."""
    is_x86 = platform.machine().lower() in ("x86_64", "amd64")
    found: dict[str, dict[str, str]] = {}
    dispatched = [name for name in __cpu_dispatch__ if __cpu_features__.get(name, False)]
    if is_x86:
        wide = [name for name in dispatched if name.startswith("AVX512") or name == "X86_V4"]
        if wide:
            found["numpy without AVX-512"] = {"NPY_DISABLE_CPU_FEATURES": " ".join(wide)}
    if dispatched:
        found["numpy, baseline"] = {"NPY_DISABLE_CPU_FEATURES": " ".join(dispatched)}
    for kernel, feature in (X86_KERNELS if is_x86 else ARM_KERNELS).items():
        if has(feature):
            found[f"OpenBLAS {kernel}"] = {"OPENBLAS_CORETYPE": kernel}
    for count in ("1", "2"):
        names = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"
        found[f"threads {count}"] = dict.fromkeys(names, count)
    # Compiled once, beside the kernels of this processor.
    cache = Path(tempfile.gettempdir()) / "bicneuron-generic-kernels"
    found["numba generic"] = {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(cache)}
    return found


def cohort_fits(seeds: Iterable[int] = SEEDS, n_columns: int = 1000) -> Iterator[Result]:
    """Readable networks and groups of cohorts with a planted group."""
    for seed in seeds:
        table = make_cohorts(random_state=seed).first
        X, y = table.iloc[:, 2 : 2 + n_columns].to_numpy(), table["status"].to_numpy()
        yield f"cohorts {seed}: readable", decided(PatternClassifier(), X, y)
        yield f"cohorts {seed}: groups", mined(SubgroupBiclustering(kinds="shift"), X, y)


def few_fits() -> Iterator[Result]:
    """A few fits of each kind, for a test that takes seconds."""
    yield from cohort_fits(range(1), 150)
    yield from islice(PARTS["neurons"](), 7)


FITS: dict[str, Callable[[], Iterator[Result]]] = {
    **{name: part for name, part in PARTS.items() if name != "tests"},
    "cohorts": cohort_fits,
    "few": few_fits,
}


def results(parts: Iterable[str]) -> dict[str, list[Any]]:
    """What each fit learned and says, as arrays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tables without a pair fall back
        return {
            f"{part}, {name}": [np.asarray(value) for value in flat(values)]
            for part in parts
            for name, values in FITS[part]()
        }


def results_under(settings: Mapping[str, str], parts: Iterable[str]) -> dict[str, list[Any]]:
    """`results` of another process, with other settings of the environment."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.pickle"
        subprocess.run(
            [sys.executable, "-m", "benchmarks.machines", "--to", str(path), "--parts", *parts],
            env={**os.environ, **settings},
            check=True,
        )
        found: dict[str, list[Any]] = pickle.loads(path.read_bytes())
        return found


def difference(ours: list[Any], others: list[Any], tolerance: float) -> str | None:
    """The first difference between two fits, in words; None if there is none."""
    if len(ours) != len(others):
        return f"{len(ours)} and {len(others)} values"
    for place, (a, b) in enumerate(zip(ours, others, strict=True)):
        if a.shape != b.shape:
            return f"value {place} has the shapes {a.shape} and {b.shape}"
        if a.dtype.kind != "f":
            if not np.array_equal(a, b):
                return f"value {place}: {a.ravel()[:5]} and {b.ravel()[:5]}"
            continue
        size = max(float(np.nanmax(np.abs(a[np.isfinite(a)]), initial=0.0)), 1.0)
        allowed = TOLERANCE_FLOAT32 if a.dtype == np.float32 else tolerance
        if not np.allclose(a, b, rtol=allowed, atol=allowed * size, equal_nan=True):
            return f"value {place} differs by {np.nanmax(np.abs(a - b)):.1e}"
    return None


def differences(ours: Mapping[str, list[Any]], others: Mapping[str, list[Any]]) -> dict[str, str]:
    """Fits that differ, with the first difference of each."""
    found = {}
    for name, values in ours.items():
        # The search for groups computes in float32.
        tolerance = TOLERANCE_FLOAT32 if "group" in name or "readable" in name else TOLERANCE
        words = difference(values, others[name], tolerance)
        if words:
            found[name] = words
    return found


def main() -> None:
    """Compare this machine with itself, under each variant."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.machines")
    every = [name for name in FITS if name != "few"]
    parser.add_argument("--parts", nargs="+", choices=FITS, default=every)
    parser.add_argument("--variants", nargs="+", choices=variants(), default=[*variants()])
    parser.add_argument("--to", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    ours = results(asked.parts)
    if asked.to:
        Path(asked.to).write_bytes(pickle.dumps(ours))
        return
    unequal: set[str] = set()
    for name in asked.variants:
        found = differences(ours, results_under(variants()[name], asked.parts))
        print(f"{name}: {len(found)} of {len(ours)} fits differ", flush=True)
        for fit, words in found.items():
            print(f"  {fit}: {words}", flush=True)
        unequal.update(found)
    print(f"{len(unequal)} of {len(ours)} fits differ in some variant")
    sys.exit(int(len(unequal) > MOST_DIFFERENT * len(ours)))


if __name__ == "__main__":
    main()
