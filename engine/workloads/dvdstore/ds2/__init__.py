"""Parameters and output of DVD Store 2's own drivers."""
