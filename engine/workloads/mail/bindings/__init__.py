"""What the mail workload has for each kind of mail server."""
