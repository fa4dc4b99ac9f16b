"""The kinds of what libraries return, and of what is read from their arrays."""
