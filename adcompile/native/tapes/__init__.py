"""Tapes and lists in forms that Numba takes."""
