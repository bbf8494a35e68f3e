"""What the store of the workload is: a file."""

from engine.services.storage.store import StorageDefinition
from engine.workload.registry import STORAGE

STORE = StorageDefinition(workload=STORAGE)
