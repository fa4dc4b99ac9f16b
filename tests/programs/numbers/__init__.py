"""Programs whose point is the type or the size of a number."""
