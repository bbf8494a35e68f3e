"""Mail: users who check, read, send, move and delete messages on a mail server, as their profile says."""
