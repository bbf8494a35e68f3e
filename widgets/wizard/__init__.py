"""New run: five pages that edit one draft of a plan, and the summary of it."""
