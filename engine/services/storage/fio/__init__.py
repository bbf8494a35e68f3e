"""fio, the flexible I/O tester: its command line, its execution and its output."""
