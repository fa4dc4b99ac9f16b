"""Helpers for what comes from SciPy."""
