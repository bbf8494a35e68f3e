"""What the storage workload has for storage targets."""
