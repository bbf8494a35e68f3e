"""What a run emits while it goes on: samples, probes, events and reports on the workstation."""
