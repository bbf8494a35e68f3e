"""All of Spindle's knowledge: pure Python and numpy, usable with no screen."""
