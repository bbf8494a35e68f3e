"""A mail server as a system under test: IMAP for mailboxes, and LMTP, SMTP or submission for what users send."""
