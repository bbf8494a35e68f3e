"""Servers of IMAP."""
