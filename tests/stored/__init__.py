"""Files as earlier versions wrote them, and what these versions exported of them; every later version opens them.

A folder is named after the newest migration of the library at that time. Its files are never written again: when the
library or the plan changes, a folder is added.
"""
