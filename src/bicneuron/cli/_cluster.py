"""A Dask cluster, by the address of its scheduler."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bicneuron._shared._extras import import_extra
from bicneuron.cli._messages import CommandError

SECONDS_TO_ANSWER = 4


@contextmanager
def on_cluster(
    address: str, jobs: int, *, error_of: Callable[[str], Exception] = CommandError
) -> Iterator[None]:
    """Run parallel work on a Dask cluster; an empty address changes nothing.

    A task that killed several workers ends the work with the error that ``error_of`` makes of the
    reason.
    """
    if not address:
        yield
        return
    if jobs:
        raise CommandError(
            f"--jobs {jobs} is for this machine; --dask takes all workers, give one of them."
        )
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
            raise error_of(
                "a task was given to several workers and all of them died, perhaps for lack of "
                "memory; use fewer workers on each machine."
            ) from error


async def _check_scheduler(address: str) -> None:
    """Check that a scheduler answers: a client would wait for it for ever."""
    from distributed import Security
    from distributed.comm import connect

    options = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, **options), SECONDS_TO_ANSWER)
    await comm.close()
