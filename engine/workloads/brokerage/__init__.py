"""Brokerage: the trades of a stock broker's customers, derived from the TPC-E specification."""
