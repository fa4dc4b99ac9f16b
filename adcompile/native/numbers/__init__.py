"""Numbers as Python and NumPy have them."""
