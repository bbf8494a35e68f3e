"""What was measured beside a run: counters of hosts and power meters, read from files and averaged."""
