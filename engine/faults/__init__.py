"""What is done to the databases under test while a run goes on: marks, and the faults that a plan holds."""
