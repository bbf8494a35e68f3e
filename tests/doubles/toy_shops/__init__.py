"""The smallest workload: visitors of shops, in two tables with three calls.

It stands for the workloads of others: what is in this package is all that one has to bring. The tests install a copy of
it, ``tests.doubles.toy_package``; so it imports its own modules relatively.
"""
