"""dask.distributed as load machines use it: its settings, the certificates of a role, and its HTTP server.

The functions import dask and distributed; ``check_cluster_packages`` has to be called before them. The settings replace
those of the user's own dask files and environment variables, which are meant for clusters that compute.
"""

import logging
from typing import TYPE_CHECKING

from engine.cluster.starter import TlsFiles

if TYPE_CHECKING:
    from distributed import Security
    from distributed.node import ServerNode

RESOURCE = "loadgen"
"""The resource of which each worker has one, so that a load machine drives one run at a time."""
_FILES = (("cert", "certificate"), ("key", "key"))
SETTINGS: dict[str, object] = {
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.client.preload": [],
    "distributed.comm.default-scheme": "tls",
    "distributed.comm.require-encryption": True,
    "distributed.comm.timeouts.connect": "10s",
    "distributed.comm.timeouts.tcp": "11s",  # the least that dask takes
    "distributed.comm.tls.min-version": 1.3,
    "distributed.diagnostics.nvml": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.allowed-failures": 0,  # a task whose worker has died is not run again
    "distributed.scheduler.http.routes": [],
    "distributed.scheduler.preload": [],
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-ttl": "10s",
    "distributed.worker.daemon": False,
    "distributed.worker.http.routes": [],
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.preload": [],
    "distributed.worker.profile.enabled": False,
}


def apply_settings() -> None:
    """Set dask up for this process. What it logs goes where the process's own log goes."""
    import dask

    dask.config.set(SETTINGS)
    logger = logging.getLogger("distributed")
    logger.handlers.clear()
    logger.propagate = True
    logger.setLevel(logging.WARNING)


def security_of(files: TlsFiles) -> "Security":
    """A member's certificate for every role in dask; TLS 1.3 with certificates on both sides."""
    from distributed import Security

    roles = ("client", "scheduler", "worker")
    files_by_role = {f"tls_{role}_{what}": getattr(files, name) for role in roles for what, name in _FILES}
    made: Security = Security(require_encryption=True, tls_ca_file=files.ca, **files_by_role)
    return made


HTTP_ADDRESS = "127.0.0.1:0"
"""Where dask's HTTP server listens until ``close_http`` is called; it can't be left out."""


def close_http(server: "ServerNode") -> None:
    """Close the HTTP server of a scheduler or worker: it would listen without encryption."""
    server.http_server.stop()
