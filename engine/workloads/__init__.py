"""The workloads that come with Spindle, a package for each."""
