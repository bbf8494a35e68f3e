"""The proof that no order was lost: what every client noted while it ran, compared with what the server holds."""
