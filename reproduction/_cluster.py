"""A Dask cluster, by the address of its scheduler."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from bicneuron._shared._version import import_extra
from bicneuron.cli._messages import CommandError
from reproduction.exceptions import FailedFoldError

SECONDS_TO_ANSWER = 4


@contextmanager
def on_cluster(address: str, jobs: int) -> Iterator[None]:
    """Run parallel work on a Dask cluster; an empty address changes nothing."""
    if not address:
        yield
        return
    if jobs:
        raise CommandError(f"--jobs {jobs} is for this machine, and --dask another; give one.")
    distributed = import_extra("distributed", "--dask needs Dask: pip install 'bicneuron[dask]'.")
    from joblib import parallel_config

    try:
        asyncio.run(_check_scheduler(address))
        client = distributed.Client(address, timeout=SECONDS_TO_ANSWER, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CommandError(
            f"--dask {address}: no Dask scheduler answers there; give the address that "
            "`dask scheduler` prints, as in tcp://10.0.0.5:8786."
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=SECONDS_TO_ANSWER)
        except TimeoutError as error:
            raise CommandError(
                f"--dask {address}: the cluster has no workers; start some by "
                f"`dask worker {address} --nworkers -1 --nthreads 1`."
            ) from error
        try:
            with parallel_config(backend="dask", client=client):
                yield
        except distributed.KilledWorker as error:
            raise FailedFoldError(
                "a task killed several workers, perhaps for lack of memory; use fewer on each "
                "machine. The finished folds are kept."
            ) from error


async def _check_scheduler(address: str) -> None:
    """Check that a scheduler answers: a client would wait for it for ever."""
    from distributed import Security
    from distributed.comm import connect

    options = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, **options), SECONDS_TO_ANSWER)
    await comm.close()
