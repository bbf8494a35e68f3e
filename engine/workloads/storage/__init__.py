"""Storage: reads and writes of a file, by fio or diskspd, as the load of a run."""
