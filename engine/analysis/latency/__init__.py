"""Response times: percentiles, their course over a run, and the steps of an order."""
