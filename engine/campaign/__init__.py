"""What a campaign is: its plan of steps, its journal, and the arithmetic of a search; plain types."""
