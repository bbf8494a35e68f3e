"""`make bench`: how fast Spindle drives and builds, beside the server's own tools in the same run."""
