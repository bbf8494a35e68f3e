"""The Wholesale workload: order entry of a wholesale supplier, derived from TPC-C and not comparable to its results."""
