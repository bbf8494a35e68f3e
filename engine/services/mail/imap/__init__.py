"""A client for IMAP4rev1 (RFC 3501) over asyncio's streams, with what users of a mailbox need of it."""
