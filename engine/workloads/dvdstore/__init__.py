"""The DVD Store 2 workload: its sizes, its rows, and the user who orders."""
