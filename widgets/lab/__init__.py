"""The practice servers: how the embedded server is, what can be done to it, and its logs."""
