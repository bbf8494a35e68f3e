"""The screens: each widget takes values and emits signals; no input or output, no threads."""
