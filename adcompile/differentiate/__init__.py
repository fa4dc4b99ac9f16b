"""Differentiation: IR to IR, in two sweeps or forwards. Exports nothing: import from its files."""
