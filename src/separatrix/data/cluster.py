"""Dask: how a cluster is reached, and how tasks run there and fail there.

The only file that imports dask and distributed.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..errors import ClusterError, InputError, InputTypeError, MissingExtraError, SeparatrixError, short_text
from ..progress import Event, notice, task
from .cluster_table import ClusterTable
from .cluster_watch import POLL, ClusterWatch, LostWorkers
from .dask_collections import table_of
from .labels import check_classes
from .source import Block, Source

try:
    import cloudpickle
    import dask
    import distributed
    from distributed.client import CancelledError
except ImportError as error:
    raise MissingExtraError("A cluster needs dask and distributed; install them: pip install 'separatrix[cluster]'.") from error

CONNECTING = 15.0
"""Seconds in which a scheduler has to answer."""
_started: list[Any] = []


def connected(cluster: Any) -> Any:
    """Return the client of a cluster: a client as it is, a cluster or an address connected to; for None or True that of this process.

    Where this process has no client yet, a LocalCluster of one worker per CPU is started, and its dashboard told.
    """
    if isinstance(cluster, distributed.Client):
        return _usable(cluster)
    if cluster is None or cluster is True:
        try:
            return distributed.default_client()
        except ValueError:
            return _local()
    if isinstance(cluster, str) or hasattr(cluster, "scheduler_address"):
        return _client_of(cluster)
    raise InputTypeError(f"cluster={short_text(cluster)} must be a distributed.Client, an address such as 'tcp://host:8786', or True.")


def _usable(client: Any) -> Any:
    """Return a client that can be asked from here."""
    if client.asynchronous:
        raise InputTypeError(
            "The client is an asynchronous one, which cannot be waited for here; pass its address, cluster=client.scheduler.address."
        )
    if client.status == "closed":
        raise InputError("The client is closed; connect again, distributed.Client(address), and pass the new one.")
    return client


def _client_of(cluster: Any) -> Any:
    """Return a client of the scheduler at an address, or of a cluster."""
    client = distributed.Client.__new__(distributed.Client)
    try:
        client.__init__(cluster, timeout=CONNECTING, set_as_default=False)
    except Exception as error:  # whatever answers there may be no scheduler, and its first bytes mean anything
        client.close(timeout=1.0)  # one that is left to itself may end on its own thread, which then waits 30 seconds for itself
        if isinstance(error, ValueError):
            raise InputError(f"cluster={short_text(cluster)} is no address ({error}); write one such as 'tcp://host:8786'.") from None
        if isinstance(error, OSError):
            raise ClusterError(
                f"No scheduler answers at {short_text(cluster)} within {CONNECTING:g} seconds ({error}); start one with `dask scheduler`, "
                "check the address, or leave cluster= to a local one: cluster=True."
            ) from None
        raise ClusterError(
            f"What answers at {short_text(cluster)} is no scheduler that can be spoken to ({type(error).__name__}: "
            f"{short_text(str(error), 200)}); give the address that `dask scheduler` prints, or a client that is connected already: "
            "cluster=distributed.Client(…)."
        ) from None
    return client


def _local() -> Any:
    client = distributed.Client(threads_per_worker=1, dashboard_address=":0")
    _started.append(client)  # it lives as long as the process: its worker processes end with it
    notice(Event("cluster", len(client.scheduler_info()["workers"]), None, f"of local workers; dashboard: {client.dashboard_link}"))
    return client


def open_cluster(
    data: Any, cluster: Any, target: Any = None, columns: Sequence[str] | None = None, weight: Any = None, classes: Any = None
) -> ClusterTable:
    """Return a Dask frame, a Dask array or a table of files as a table whose passes run on a cluster.

    Parameters
    ----------
    data : Dask frame or array, or the FileTable to be read by the workers
    cluster : distributed.Client, address, or None for the client of this process or a new local one
    target, weight : column names; for an array, arrays of one number or label per row
    columns : names of the features of a frame
    classes : all labels, where they are known

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd, distributed
    >>> from separatrix import LinearDiscriminantAnalysis, open_table
    >>> frame = pd.DataFrame({"age": [31.0, 47.0, 35.0, 52.0], "buys": ["no", "yes", "no", "yes"]})
    >>> with distributed.Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
    ...     table = open_table(dd.from_pandas(frame, npartitions=2), target="buys", cluster=client)
    ...     LinearDiscriminantAnalysis().fit(table).means_.tolist()
    [[33.0], [49.5]]
    """
    engine = DaskEngine(connected(cluster))
    if isinstance(data, Source):
        table = ClusterTable.of_files(engine, data)
    else:
        table = table_of(engine, data, target, columns, weight)
    table.known = table.known if classes is None else check_classes(classes)
    return table


class DaskEngine:
    """Tasks on a Dask cluster: see `Engine`."""

    def __init__(self, client: Any) -> None:
        self.client = client
        cluster = getattr(client, "cluster", None)
        lost = LostWorkers(cluster) if isinstance(cluster, distributed.LocalCluster) else None
        self.watch = ClusterWatch(client, lost, is_ours=client in _started)

    def later(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the task of calling a function; arguments may be tasks."""
        return dask.delayed(function, pure=False)(*arguments)

    def packed(self, function: Callable[[Block], Any]) -> Any:
        """Return the task that unpacks a function where it is needed: computed again, not lost, where a worker dies."""
        return self.later(cloudpickle.loads, cloudpickle.dumps(function))

    def begun(self, tasks: Sequence[Any]) -> list[Any]:
        """Return tasks that run from now on, and whose results stay on the workers."""
        self.watch.look()
        futures: list[Any] = self.client.compute(list(tasks))
        return futures

    def memory(self) -> float:
        """Return the bytes of memory of all workers."""
        return float(sum(worker.get("memory_limit") or 0 for worker in self.watch.workers().values()))

    def results(self, tasks: Sequence[Any], name: str) -> Iterator[Any]:
        """Yield what tasks give, in their order."""
        futures = self.begun(tasks)
        try:
            with task(name, total=len(futures)) as work:
                while futures:
                    self._awaited(futures[0], work.done)
                    value = self._value(futures[0])
                    futures.pop(0).release()
                    work.advance(self._where())
                    yield value
        finally:
            if futures:
                self._drop(futures)

    def last(self, tasks: Sequence[Any], root: Any) -> Any:
        """Return what the last task gives, once the others are done: these are waited for, and their values stay where they are."""
        futures = self.begun([*tasks, root])
        end = futures.pop()
        try:
            with task("pass", total=len(futures)) as work:
                while futures:
                    self._awaited(futures.pop(0), work.done)
                    work.advance(self._where())
                self._awaited(end)
                return self._value(end)
        except BaseException:
            self._drop([*futures, end])
            raise

    def _drop(self, futures: list[Any]) -> None:
        """Let the cluster forget tasks: those that nobody waits for any more are not begun."""
        for future in futures:
            future.release()

    def _awaited(self, future: Any, number: int | None = None) -> None:
        """Wait until a task is done, that of the partition numbered where it is one; raise what went wrong with it, or with the cluster.

        Not by `distributed.wait`, which asks the client that was made last in this process, of whatever cluster, and none where an address
        was given.
        """

        def done() -> bool:
            try:
                future.exception(timeout=POLL)
            except TimeoutError:
                return False
            except (CancelledError, OSError) as error:
                raise self._lost(error) from None
            return future.status not in ("pending", "lost")  # lost: held by a worker that died, and computed again

        self.watch.until(done)
        if future.status != "finished":
            raise self._failed(future, number)

    def _value(self, future: Any) -> Any:
        """Return what a task gives.

        Not by `future.result()`: where the worker dies with a value that is on its way here, it is computed again, and waits as long as
        there is no worker.
        """
        coming = asyncio.run_coroutine_threadsafe(self.client.gather(future, asynchronous=True), self.client.loop.asyncio_loop)
        try:
            self.watch.until(lambda: bool(concurrent.futures.wait([coming], timeout=POLL).done))
            return coming.result()
        except SeparatrixError:
            raise
        except Exception as error:
            raise (self._failed(future) if future.status == "error" else self._lost(error)) from None
        finally:
            coming.cancel()

    def _failed(self, future: Any, number: int | None = None) -> BaseException:
        try:
            error = future.exception(timeout=CONNECTING)
            if future.status == "cancelled":
                future.result(timeout=CONNECTING)  # which raises what it was cancelled for
        except (CancelledError, TimeoutError, OSError) as cancelled:
            return self._lost(cancelled)
        if isinstance(error, distributed.scheduler.KilledWorker):
            return ClusterError(
                f"The worker {error.last_worker.address} died, as {error.allowed_failures} others did with the same partition before; "
                "it probably did not fit into memory: cut the table into smaller partitions, or give the workers more memory."
            )
        if isinstance(error, SeparatrixError | MemoryError):
            return error
        what = "What the partitions gave" if number is None else f"Partition {number}"
        return ClusterError(f"{what} could not be computed on a worker: {type(error).__name__}: {error}")

    def _lost(self, error: BaseException) -> SeparatrixError:
        if self.client.status != "running":
            return self.watch.gone()
        return ClusterError(
            f"Rows that a worker held are lost, and nobody can compute them again ({error}): they were scattered, not read. Scatter them "
            "again, or open files or a Dask collection that reads them."
        )

    def _where(self) -> str:
        return f"dashboard: {self.client.dashboard_link}"
