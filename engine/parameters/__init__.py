"""What can be set: parameters, the types of their values, and values as people type them."""
