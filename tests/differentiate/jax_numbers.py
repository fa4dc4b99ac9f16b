"""Writes what JAX gives for the functions of `jax_functions.py` into `jax_numbers.json`, where JAX is installed.

python -m tests.differentiate.jax_numbers
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.differentiate import jax_functions

FILE = Path(__file__).with_suffix(".json")
X = np.array([0.3, 0.55, 0.75, 0.95, 1.2])
V = np.array([1.0, -0.5, 0.25, 2.0, -1.0])


def main() -> None:
    """Write the file."""
    import jax  # noqa: PLC0415 - only needed to write the numbers anew

    jax.config.update("jax_enable_x64", True)
    found: dict[str, Any] = {}
    scope: dict[str, Any] = {"np": jax.numpy, "Any": Any}
    exec(Path(jax_functions.__file__).read_text(encoding="utf-8").replace("import numpy as np\n", ""), scope)
    for text in jax_functions.IN_JAX.values():
        exec(text, scope)
    for function in jax_functions.FUNCTIONS:
        f = scope[function.__name__]

        def everything(x: Any, v: Any, f: Any = f) -> Any:
            def along(g: Any) -> Any:
                return lambda x: jax.jvp(g, (x,), (v,))[1]

            return f(x), jax.hessian(f)(x), jax.jvp(jax.grad(f), (x,), (v,))[1], along(along(along(f)))(x)

        one = everything if f is scope["branch"] else jax.jit(everything)  # which has no `if` on numbers
        value, second, product, third = one(jax.numpy.asarray(X), jax.numpy.asarray(V))
        found[function.__name__] = {
            "value": float(value),
            "hessian": np.asarray(second).tolist(),
            "product": np.asarray(product).tolist(),
            "third": float(third),
        }
        FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
