"""The connection between a run and its agents: TLS, numbered messages, acknowledgements, heartbeats with clocks."""
