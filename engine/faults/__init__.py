"""What is done to the databases under test during a run: marks, and the faults of a plan."""
