"""Simplification: IR to IR, one rewrite per file, each of which can be left out without changing a number."""

from adcompile.simplify.bundles import bundles
from adcompile.simplify.driver import ALL, AT_THE_END, simplify_function
from adcompile.simplify.floats import in_floats
from adcompile.simplify.spelling import spelling
from adcompile.simplify.ties import ties

__all__ = ["ALL", "AT_THE_END", "bundles", "in_floats", "simplify_function", "spelling", "ties"]
