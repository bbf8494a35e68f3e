"""diskspd, Microsoft's disk load generator for Windows: its command line and its execution. Not yet tried on
Windows."""
