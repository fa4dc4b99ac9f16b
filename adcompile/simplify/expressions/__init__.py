"""Rewrites of single expressions."""
