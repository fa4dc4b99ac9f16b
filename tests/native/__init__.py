"""Tests of what is rewritten for Numba."""
