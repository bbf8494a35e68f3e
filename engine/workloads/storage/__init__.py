"""Storage: reads and writes of a file, by fio, as the load of a run."""
