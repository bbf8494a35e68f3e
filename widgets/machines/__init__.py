"""The dialog of the machines: the inventory, and the ways in which each machine is reached."""
