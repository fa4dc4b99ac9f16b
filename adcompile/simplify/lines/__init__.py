"""Rewrites of lines: which there are, in what order, and under which names."""
