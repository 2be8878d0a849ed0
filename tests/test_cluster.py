"""A real Dask cluster on loopback: worker processes that the tests start, and kill."""

import os
import signal
import socket
import time
from contextlib import contextmanager
from dataclasses import asdict

import numpy as np
import pytest
from data import make_one_factor
from joblib import parallel_config
from sklearn.datasets import load_breast_cancer

from bicneuron import BicNeuronClassifier, BicNeuronNetwork
from reproduction import _cluster
from reproduction.__main__ import main as reproduce
from reproduction._folds import Fold
from reproduction._models import MODELS
from reproduction._problems import Problem
from reproduction._protocols import CLEAN
from reproduction._runner import read_finished, run_folds

dask = pytest.importorskip("dask", reason="needs bicneuron[dask]")
distributed = pytest.importorskip("distributed", reason="needs bicneuron[dask]")

# joblib 1.5 warns of its own backend for Dask, which still has the older of two method names.
pytestmark = pytest.mark.filterwarnings("ignore:`apply_async` is deprecated:DeprecationWarning")
slow = pytest.mark.slow


@contextmanager
def start(n_workers):
    """Workers are processes with two threads each, the harder case; the system chooses ports."""
    # A cluster gives up a killed worker that is not back in time, and 15 seconds, the default,
    # are too few where every core is busy: a fit would wait for ever for workers given up.
    patience = {"distributed.deploy.lost-worker-timeout": "10 minutes"}
    with (
        dask.config.set(patience),
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=2,
            processes=True,
            dashboard_address=":0",
            scheduler_kwargs={"dashboard": False},
        ) as cluster,
    ):
        yield cluster


@pytest.fixture(scope="module")
def cluster():
    with start(2) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        yield client


@pytest.fixture(scope="module")
def lone_worker():
    """For tests that kill all workers, because it takes long to start new ones."""
    with start(1) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


def pids(client):
    return [*client.run(os.getpid).values()]


def kill(some):
    for pid in some:
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def folds():
    problem = Problem.from_labels("made-up", *make_one_factor())
    smaller = Problem.from_labels("smaller", *make_one_factor(n_columns=4))
    return [
        Fold(CLEAN, each, MODELS[name], index, 0)
        for each in (smaller, problem)
        for name in ("SP", "BN", "RandomForest")
        for index in range(2)
    ]


def numbers(records):
    """Everything but the time that a fold took."""
    rows = [{**asdict(record), "seconds": None} for record in records]
    return sorted(rows, key=lambda row: (row["dataset"], row["model"], row["fold"]))


@pytest.fixture(scope="module")
def expected(folds, tmp_path_factory):
    return numbers(run_folds(folds, tmp_path_factory.mktemp("one core")))


@slow
def test_folds_on_a_cluster_are_those_of_one_core(client, folds, expected, tmp_path, monkeypatch):
    sent = []

    def counted(problem):
        sent.append(problem.name)
        return problem.__dict__

    monkeypatch.setattr(Problem, "__getstate__", counted)
    with parallel_config(backend="dask", client=client):
        found = numbers(run_folds(folds, tmp_path))
    assert found == expected
    assert {*sent} == {"made-up", "smaller"}
    assert len(sent) <= 4, "data travel once (and Dask pickles twice), not with every fold"
    kept, missing = read_finished(folds, tmp_path)
    assert missing == []
    assert numbers(kept) == expected


@slow
def test_killed_workers_cost_no_folds(lone_worker, folds, expected, tmp_path):
    lone_worker.wait_for_workers(1)
    before = pids(lone_worker)
    with parallel_config(backend="dask", client=lone_worker):
        run = run_folds(folds, tmp_path)
        found = [next(run)]
        kill(before)
        found += run
    assert numbers(found) == expected
    lone_worker.wait_for_workers(1)
    assert not {*before} & {*pids(lone_worker)}


@slow
def test_fits_on_a_cluster_are_those_of_one_core(client):
    X, y = (part[::3] for part in load_breast_cancer(return_X_y=True))
    search = BicNeuronClassifier(search="paper", cv=2, random_state=0)
    network = BicNeuronNetwork(n_neurons=100, random_state=0)

    def outputs():
        scores = [model.fit(X, y).decision_function(X) for model in (search, network)]
        return [*scores, search.cv_results_["mean_test_score"]]

    expected = outputs()
    with parallel_config(backend="dask", client=client):
        for mine, yours in zip(outputs(), expected, strict=True):
            np.testing.assert_array_equal(mine, yours)


@pytest.fixture
def impatient(monkeypatch):
    """Wait as long as a test should; where nobody answers, the time makes no difference."""
    monkeypatch.setattr(_cluster, "SECONDS_TO_ANSWER", 0.5)


def refused(capsys, *arguments):
    start = time.monotonic()
    assert reproduce(["--quick", *arguments]) == 2
    assert time.monotonic() - start < 12
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    return line


@pytest.mark.parametrize(("scheme", "is_listening"), [("tcp://", True), ("no-such://", False)])
@pytest.mark.usefixtures("impatient")
def test_an_address_that_does_not_answer(scheme, is_listening, tmp_path, capsys):
    with socket.socket() as taken:  # bound but not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        if is_listening:  # something else, which says nothing
            taken.listen()
        address = f"{scheme}127.0.0.1:{taken.getsockname()[1]}"
        line = refused(capsys, "--out", str(tmp_path), "--dask", address)
    assert line.startswith(f"error: --dask {address}: no Dask scheduler answers there")


@slow
def test_a_cluster_without_workers(tmp_path, capsys):
    with start(0) as empty:
        line = refused(capsys, "--out", str(tmp_path), "--dask", empty.scheduler_address)
    assert "the cluster has no workers; start some" in line


def test_processes_here_and_a_cluster_do_not_go_together(tmp_path, capsys):
    line = refused(capsys, "--out", str(tmp_path), "--dask", "127.0.0.1:1", "--jobs", "2")
    assert line.startswith("error: --jobs 2 is for this machine")
