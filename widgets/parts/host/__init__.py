"""What shows the counters of hosts, during a run and afterwards."""
