"""The proof that no order was lost: what every client recorded during the run, compared with the server's data."""
