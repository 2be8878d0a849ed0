"""Speed-up of a reproduction by two Dask workers."""

import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from joblib import parallel_config

from benchmarks._bench import Bench, Size, fastest
from reproduction._models import MODELS
from reproduction._problems import QUICK_PROBLEMS, quick_problem
from reproduction._protocols import QUICK
from reproduction._reproduce import plan_folds
from reproduction._runner import run_folds


def rows(size: Size) -> Iterator[Bench]:
    if find_spec("distributed") is None:
        return
    from distributed import Client, LocalCluster

    tiny = size == "tiny"
    models = [MODELS[name] for name in (("SP",) if tiny else ("BN", "RandomForest"))]
    problems = QUICK_PROBLEMS[-1:] if tiny else QUICK_PROBLEMS
    folds = [
        fold for name in problems for fold in plan_folds(QUICK, name, models, quick_problem, 0)
    ]

    def run() -> None:
        with tempfile.TemporaryDirectory() as out:
            for _ in run_folds(folds, Path(out)):
                pass

    def run_on_cluster() -> None:
        with parallel_config(backend="dask", client=client):
            run()

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        run()  # loads kernels in this process and in the workers
        run_on_cluster()
        seconds = fastest({"here": run, "there": run_on_cluster}, 1, time.perf_counter)
    yield Bench(
        "cluster",
        "reproduction, one process / two Dask workers",
        f"{len(folds)} folds",
        seconds["here"] / seconds["there"],
        at_least=None if tiny else 1.5,
        threads=2,
    )
