"""Whether a cluster still stands while its tasks are waited for, and workers of a local cluster that nobody starts again.

The nanny of a worker starts it again when it dies. But a `LocalCluster` looks at each death once more, 15 seconds later (the setting
`distributed.deploy.lost-worker-timeout`), and where no worker of that name has registered by then it takes the nanny for lost and closes
it, together with the worker that the nanny may be about to start. On a busy machine, and where the worker died a second time, that is a
nanny at work. The cluster's specification still asks for the worker; it is started when somebody scales the cluster, and only then.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ..errors import ClusterError
from ..progress import Event, notice, stop_if_cancelled

POLL = 0.5
"""Seconds between two looks at whether the cluster still stands and nobody has cancelled."""
PATIENCE = 60.0
"""Seconds without a single worker, or without an answer of the scheduler, after which a pass is given up."""
ENDED = ("closed", "failed")
"""States of a nanny that is no longer there."""


class LostWorkers:
    """The workers of a local cluster that it was asked for and no longer has.

    Parameters
    ----------
    cluster : LocalCluster of this process
    """

    def __init__(self, cluster: Any) -> None:
        self.cluster = cluster
        self.nannies: dict[Any, Any] = dict(cluster.workers)
        self.asked: set[Any] = set()

    def ask_again(self) -> bool:
        """Ask the cluster for the workers it has given up, once their nannies have ended; whether there were such.

        Not earlier: a worker of the same name would be refused as long as the last one is registered.
        """
        there = dict(self.cluster.workers)
        self.nannies.update(there)
        self.asked -= there.keys()
        lost = {name for name in self.cluster.worker_spec if name not in there and name not in self.asked}
        if not lost or not all(self._ended(name) for name in lost):
            return False
        self.asked |= lost
        self.cluster.scale(len(self.cluster.worker_spec))
        return True

    def _ended(self, name: Any) -> bool:
        nanny = self.nannies.get(name)
        return nanny is None or nanny.status.name in ENDED


class ClusterWatch:
    """What is looked at again and again while tasks run.

    Parameters
    ----------
    client : distributed.Client
    lost : workers of its cluster that may be asked for again; None where the cluster is not on this machine
    is_ours : whether the cluster was started here, unasked; of another, one worker fewer may be what its user wants
    """

    def __init__(self, client: Any, lost: LostWorkers | None, is_ours: bool) -> None:
        self.client, self.lost, self.is_ours = client, lost, is_ours
        self.address: str = client.scheduler.address

    def workers(self) -> dict[str, Any]:
        """Return what the scheduler knows of each worker; raise an error where it is gone, or does not answer."""
        if self.client.status != "running":
            raise self.gone()
        try:
            known: dict[str, Any] = self.client.sync(self.client.scheduler.identity, callback_timeout=PATIENCE)["workers"]
        except (OSError, RuntimeError):  # OSError: the time is over, or the connection lost
            raise self.gone() from None
        return known

    def look(self) -> int:
        """Return the number of workers; those that are lost are asked for."""
        n = len(self.workers())
        if self.lost is not None and (self.is_ours or not n) and self.lost.ask_again():
            notice(Event("cluster", 0, None, "lost its workers; they are started again"))
        return n

    def until(self, done: Callable[[], bool]) -> None:
        """Ask again and again whether something is done; raise an error where it cannot come any more, or nobody wants it."""
        alone = time.monotonic()
        while True:
            stop_if_cancelled()
            if done():
                return
            alone = time.monotonic() if self.look() else alone
            if time.monotonic() - alone > PATIENCE:
                raise ClusterError(
                    f"The cluster at {self.address} has had no worker for {PATIENCE:g} seconds; start one, by `dask worker {self.address}` "
                    "or cluster.scale(2), and fit again."
                )

    def gone(self) -> ClusterError:
        """Return the error for a scheduler that is no longer there."""
        return ClusterError(
            f"The scheduler of the cluster, {self.address}, is gone or does not answer; start it again, connect, and open the table anew."
        )
