"""CasADi: a graph of scalar operations, built and differentiated beforehand, evaluated by its virtual machine."""

import inspect
from typing import Any

import numpy as np

from ..executor import Call, objective_for
from ..workload import Workload

NAME = "casadi"
TITLE = "CasADi"
POSITION = 70


def prepare(workload: Workload) -> Call:
    """`casadi.Function` of the value and its gradients; counts are part of the graph."""
    objective = objective_for("casadi", workload)
    import casadi

    arguments = workload.arguments()
    symbols = [
        argument if isinstance(argument, int) else casadi.SX.sym(name, *np.shape(argument))
        for name, argument in zip(inspect.signature(workload.primal).parameters, arguments, strict=True)
    ]
    value = objective(*symbols)
    partials = [casadi.gradient(value, symbols[position]) for position in workload.wrt_positions]
    inputs = [symbol for symbol in symbols if not isinstance(symbol, int)]
    function = casadi.Function("value_and_grad", inputs, [value, *partials])

    def value_and_grad(*given: Any) -> tuple[Any, Any]:
        value, *partials = function(*given)
        return value, partials

    given = tuple(argument for argument in arguments if not isinstance(argument, int))
    # Vectors come back as matrices of one column.
    return Call(value_and_grad, given, to_numpy=lambda found: np.squeeze(np.array(found)))
