"""fio, the flexible I/O tester: how it is called, and what it prints."""
