"""New run: five pages that edit one draft of a plan, and its summary."""
