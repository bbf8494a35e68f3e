"""The practice servers: the state of the embedded server, its actions, and its logs."""
