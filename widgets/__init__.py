"""What is seen: each widget takes values and emits wishes; no input or output, no threads."""
