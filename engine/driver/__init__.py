"""The run controller, and the client process with its emulated users."""
