"""Messages to other programs at the end of a run or campaign."""
