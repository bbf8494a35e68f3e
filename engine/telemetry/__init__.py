"""What a run emits while it goes on: samples, probes, events and the load of the workstation."""
