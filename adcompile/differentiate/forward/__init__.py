"""Tangents and truncated series, beside each statement."""
