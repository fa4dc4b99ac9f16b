"""The two functions that the design shows come out as they are printed there, and run."""

from __future__ import annotations

import numpy as np
import pytest

from adcompile.emit import emit_module
from adcompile.ir.nodes import Role, Variable
from adcompile.load.module import load

from .lowered import adjoint, function, origin


def relu(z):
    return max(z, 0.0)


NEURON = '''\
def neuron_grad(x, w, b):
    """Value of `neuron` and its partials with respect to x, w, b, u and v.

    Written by adcompile 0.1 from neuron.py:7, for numbers.
    """
    # Forward sweep
    u = x * w  # pre-activation
    v = u + b
    a = relu(v)

    # Backward sweep
    # a = relu(v)
    v_bar = 1.0 if v > 0.0 else 0.0
    # v = u + b
    u_bar = b_bar = v_bar
    # u = x * w
    x_bar = u_bar * w
    w_bar = u_bar * x

    return a, (x_bar, w_bar, b_bar, u_bar, v_bar)
'''

HEAT = '''\
def heat_grad(u, alpha, steps):
    """Value of `heat` and its partials with respect to u and alpha. ..."""
    u = u.copy()  # heat updates u in place; the caller keeps theirs

    # Forward sweep
    u_tmp_tape = []
    for t in range(steps):
        u_tmp = u[2:] - 2 * u[1:-1] + u[:-2]
        u[1:-1] += alpha * u_tmp
        u_tmp_tape.append(u_tmp)
    energy = np.sum(u**2)

    # Backward sweep
    # energy = np.sum(u**2)
    u_bar = 2 * u
    alpha_bar = 0.0
    for t in reversed(range(steps)):
        u_tmp = u_tmp_tape.pop()
        # u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
        alpha_bar += np.sum(u_bar[1:-1] * u_tmp)
        u_tmp_bar = alpha * u_bar[1:-1]
        u_bar[2:] += u_tmp_bar
        u_bar[1:-1] -= 2 * u_tmp_bar
        u_bar[:-2] += u_tmp_bar

    return energy, (u_bar, alpha_bar)
'''


def neuron():
    names = {name: Variable(name) for name in "xwbuva"}
    roles = {**names, **{f"{name}_bar": adjoint(variable) for name, variable in names.items()}}
    text = '''
        def neuron_grad(x, w, b):
            """Value of `neuron` and its partials with respect to x, w, b, u and v.

            Written by adcompile 0.1 from neuron.py:7, for numbers.
            """
            # Forward sweep
            u = x * w  # @u
            v = u + b  # @v
            a = relu(v)  # @a
            # Backward sweep
            v_bar = 1.0 if v > 0.0 else 0.0  # @a
            u_bar = v_bar  # @v
            b_bar = v_bar  # @v
            x_bar = u_bar * w  # @u
            w_bar = u_bar * x  # @u
            return a, (x_bar, w_bar, b_bar, u_bar, v_bar)
    '''
    origins = {
        "u": origin("u = x * w", 8, "# pre-activation"),
        "v": origin("v = u + b", 9),
        "a": origin("a = relu(v)", 10),
    }
    return function(text, roles=roles, outside={"relu": relu}, origins=origins)


def heat():
    u, alpha, tmp = Variable("u"), Variable("alpha"), Variable("u", Role.TEMPORARY)
    roles = {
        "u": u,
        "u_tmp": tmp,
        "u_bar": adjoint(u),
        "alpha_bar": adjoint(alpha),
        "u_tmp_bar": Variable("", Role.ADJOINT, tmp),
        "u_tmp_tape": Variable("", Role.TAPE, tmp),
    }
    update = origin("u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])", 4)
    loop = origin("for t in range(steps)", 3)
    origins = {
        "copy": origin("", 1, "# heat updates u in place; the caller keeps theirs"),
        "update": update,
        "loop": loop,
        "energy": origin("energy = np.sum(u**2)", 5),
    }
    text = HEAT
    for line, key in (
        ("u = u.copy()  # heat updates u in place; the caller keeps theirs", "copy"),
        ("    u_tmp = u[2:] - 2 * u[1:-1] + u[:-2]", "update"),
        ("u[1:-1] += alpha * u_tmp", "update"),
        ("u_tmp_tape.append(u_tmp)", "update"),
        ("for t in range(steps):", "loop"),
        ("for t in reversed(range(steps)):", "loop"),
        ("\n    energy = np.sum(u**2)", "energy"),
        ("u_bar = 2 * u", "energy"),
        ("alpha_bar += np.sum(u_bar[1:-1] * u_tmp)", "update"),
        ("u_tmp_bar = alpha * u_bar[1:-1]", "update"),
        ("u_bar[2:] += u_tmp_bar", "update"),
        ("u_bar[1:-1] -= 2 * u_tmp_bar", "update"),
        ("u_bar[:-2] += u_tmp_bar", "update"),
    ):
        text = text.replace(line, line.split("  # ")[0] + f"  # @{key}", 1)
    text = "\n".join(line for line in text.split("\n") if line.strip() not in {f"# {o.text}" for o in origins.values()})
    return function(text, roles=roles, outside={"np": np}, origins=origins, source="heat")


def test_neuron_is_printed_as_in_the_design():
    module = emit_module([neuron()], title="The partials of `neuron`.", primal=relu)
    assert module.text == ('"""The partials of `neuron`."""\n\n\ndef relu(z):\n    return max(z, 0.0)\n\n\n' + NEURON)


def test_heat_is_printed_as_in_the_design():
    module = emit_module([heat()], title="The partials of `heat`.", primal=None)
    assert module.text == '"""The partials of `heat`."""\n\nimport numpy as np\n\n\n' + HEAT


def test_neuron_runs_from_its_text_alone_and_loaded():
    module = emit_module([neuron()], title="", primal=relu)
    alone: dict[str, object] = {}
    exec(module.text, alone)
    loaded = load(module, "neuron_grad")
    for namespace in (alone, loaded):
        assert namespace["neuron_grad"](3.0, 2.0, 1.0) == (7.0, (2.0, 3.0, 1.0, 1.0, 1.0))
    assert loaded["relu"] is relu
    assert alone["relu"] is not relu


def test_heat_runs_and_lines_lead_back():
    module = emit_module([heat()], title="", primal=None)
    heat_grad = load(module, "heat_grad")["heat_grad"]
    u = np.array([0.0, 1.0, 4.0, 2.0, 0.0])
    _, (u_bar, alpha_bar) = heat_grad(u, 0.1, 3)
    step = 1e-6
    assert alpha_bar == pytest.approx((heat_grad(u, 0.1 + step, 3)[0] - heat_grad(u, 0.1 - step, 3)[0]) / (2 * step))
    for i in range(5):
        bump = np.eye(5)[i] * step
        numeric = (heat_grad(u + bump, 0.1, 3)[0] - heat_grad(u - bump, 0.1, 3)[0]) / (2 * step)
        assert u_bar[i] == pytest.approx(numeric, abs=1e-6)
    lines = module.text.split("\n")
    assert module.lines[lines.index("        u[1:-1] += alpha * u_tmp") + 1] == ("heat.py", 4)


def test_the_text_is_the_same_every_time():
    assert len({emit_module([neuron(), heat()], title="Both.", primal=relu).text for _ in range(5)}) == 1
