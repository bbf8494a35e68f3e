"""Several load machines: agents that run client processes elsewhere, their connection to the run, what starts them."""
