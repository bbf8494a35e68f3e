"""How the load of a plan changes while it is measured: stages, the staircase, and the profile that both make."""
