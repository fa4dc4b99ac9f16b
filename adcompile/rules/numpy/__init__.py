"""The rows of NumPy's functions."""
