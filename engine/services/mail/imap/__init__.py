"""A client for the part of IMAP4rev1 (RFC 3501) that users of a mailbox need, over asyncio's streams."""
