"""Derivatives as tables. The door of this room: look-ups, binding of a call to a row, and users' own rules."""

from adcompile.rules.conditions import holds
from adcompile.rules.custom import custom_rule
from adcompile.rules.forms import Refuse, Row, RuleError
from adcompile.rules.registry import (
    bind,
    choose,
    is_constant,
    method_function,
    rows_for_attribute,
    rows_for_function,
    rows_for_method,
    rows_for_operator,
)

__all__ = [
    "Refuse", "Row", "RuleError", "bind", "choose", "custom_rule", "holds", "is_constant", "method_function",
    "rows_for_attribute", "rows_for_function", "rows_for_method", "rows_for_operator",
]
