"""The inventory of machines, and the ways to reach one: shared by faults, collectors, campaigns and configurations."""
