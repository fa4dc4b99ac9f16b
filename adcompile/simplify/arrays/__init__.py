"""Rewrites of what stands about arrays."""
