"""The rows of SciPy's functions."""
