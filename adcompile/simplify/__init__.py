"""Simplification: IR to IR, one rewrite per file, each of which can be left out without changing a number."""

from adcompile.simplify.driver import ALL, simplify_function

__all__ = ["ALL", "simplify_function"]
