"""Thousands of fits in one process, and many processes that share their caches."""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import bicneuron
from bicneuron.neurons import GaussianNeuron, KernelNeuron
from bicneuron.persistence import load_model, save_model
from tests.data import make_one_factor

N_PROCESSES = 8
_MOST_GROWTH = 20.0  # MB: freed memory is not all given back
# Until then caches fill and libraries are loaded.
_WARM_UP = 0.1

_MODELS = [
    lambda: bicneuron.BicNeuronClassifier(search=None, random_state=0),
    lambda: bicneuron.BicNeuronNetwork(n_neurons=4, random_state=0),
    lambda: bicneuron.neurons.OnlinePerceptron(random_state=0),
    lambda: bicneuron.neurons.KernelPerceptron(random_state=0),
    GaussianNeuron,
    KernelNeuron,
    lambda: bicneuron.SubgroupBiclustering(n_patterns=2),
    lambda: bicneuron.CoherentBiclustering(max_residue=0.1),
    lambda: bicneuron.biclustering.DifferenceBiclustering(max_residue=0.1),
]
# What each of the processes does: a fit with kernels that nobody has compiled yet, and a data set.
_SHARING = """
import sys
from hashlib import sha256
from bicneuron import BicNeuronClassifier
from reproduction.datasets import fetch_dataset, load_dataset
from tests.data import make_one_factor
X, y = make_one_factor()
model = BicNeuronClassifier(search=None, random_state=0).fit(X, y)
answer = sha256(model.decision_function(X).tobytes()).hexdigest()
if len(sys.argv) > 1:
    folder, url = sys.argv[1:]
    fetch_dataset("sonar", data_home=folder, base_url=url)
    data = load_dataset("sonar", data_home=folder)
    answer += sha256(data.data.tobytes()).hexdigest()
print(answer)
"""


def soak(n_fits: int) -> Iterator[tuple[str, int]]:
    """Give lines and numbers of bad ones."""
    yield from _fits(n_fits)
    yield from _shared_caches()


def _fits(n_fits: int) -> Iterator[tuple[str, int]]:
    X, y = make_one_factor()
    warm, answers = max(len(_MODELS), int(n_fits * _WARM_UP)), {}
    begin = (0.0, 0)
    n_different = 0
    with TemporaryDirectory() as folder:
        for number in range(n_fits):
            if number == warm:
                begin = _in_use()
            place = number % len(_MODELS)
            model = _MODELS[place]().fit(X, y)
            path = save_model(model, Path(folder, "model.skops"), overwrite=True)
            again = load_model(path)
            # Miners have no scores of rows.
            scored = hasattr(again, "decision_function")
            values = again.decision_function(X) if scored else again.rows_
            answer = sha256(np.asarray(values).tobytes()).hexdigest()
            n_different += answers.setdefault(place, answer) != answer
    end = _in_use()
    memory, files = end[0] - begin[0], end[1] - begin[1]
    yield f"{n_fits} fits: {n_different} differ from the first of their kind", n_different
    yield f"memory {begin[0]:.0f} MB, {memory:+.1f} MB since fit {warm}", memory > _MOST_GROWTH
    yield f"open files {begin[1]}, {files:+d}", files > 0


def _in_use() -> tuple[float, int]:
    """MB of memory, and open files."""
    gc.collect()
    n_pages = int(Path("/proc/self/statm").read_text().split()[1])
    return n_pages * os.sysconf("SC_PAGE_SIZE") / 1e6, len(os.listdir("/proc/self/fd"))


def _shared_caches() -> Iterator[tuple[str, int]]:
    with TemporaryDirectory() as folder:
        if os.environ.get("BICNEURON_DATA"):
            with _sonar_server() as url:
                yield _share(Path(folder), [str(Path(folder, "data")), url])
        else:
            yield "data cache: left out, BICNEURON_DATA names no folder", 0
            yield _share(Path(folder), [])


@contextmanager
def _sonar_server() -> Iterator[str]:
    """Address of a small OpenML that runs on this machine and has one data set."""
    from reproduction.datasets import load_dataset
    from tests.reproduction.test_fetch import OpenML, arff, on_openml, serving

    sonar, openml = load_dataset("sonar"), OpenML()
    openml.add(sonar.info.openml_id, "sonar", arff(*on_openml(sonar)))
    with serving(openml) as url:
        yield url


def _share(folder: Path, arguments: list[str]) -> tuple[str, int]:
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
        "NO_PROXY": "127.0.0.1",
        "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path])),
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _SHARING, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(N_PROCESSES)
    ]
    said = [process.communicate() for process in processes]
    n_failed = sum(process.returncode != 0 for process in processes)
    answers = {answer for answer, _ in said}
    caches = "kernels and one of data" if arguments else "kernels"
    line = f"{N_PROCESSES} processes with one cold cache of {caches}: "
    line += f"{n_failed} failed, {len(answers)} different answers"
    errors = [text.splitlines()[-1] for _, text in said if text and n_failed]
    return "\n  ".join([line, *errors]), n_failed + len(answers) - 1
