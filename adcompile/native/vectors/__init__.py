"""Arithmetic on arrays as loops, and arrays that need not be made."""
