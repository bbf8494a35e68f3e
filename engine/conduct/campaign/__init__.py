"""Carrying a campaign out: its checks, its steps one after the other, and its resumption from the journal."""
