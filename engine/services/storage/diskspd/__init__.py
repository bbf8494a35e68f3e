"""diskspd, Microsoft's load generator for disks of Windows: how it is called. Never run on Windows so far."""
