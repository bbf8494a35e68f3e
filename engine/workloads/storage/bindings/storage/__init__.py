"""The file of a storage workload, and the program that reads and writes it."""
