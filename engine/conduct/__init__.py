"""Takes a plan from its targets to its record: checks, leases, the run, and what is looked at when it is over."""
