"""Tests of the facts that the compiler finds."""
