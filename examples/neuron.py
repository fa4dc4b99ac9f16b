"""One neuron, and the partial of its output with respect to everything in it, from one call.

In PyTorch the inputs would be tensors that require a gradient, and there are several ways to ask. All of them
continue from

    x, w, b = (torch.tensor(number, requires_grad=True) for number in (3.0, 2.0, 1.0))
    u = x * w; v = u + b; a = torch.relu(v)

    # 1. `backward` fills the leaves only: u.grad and v.grad are None, with a warning ...
    a.backward();  x.grad, w.grad, b.grad
    # 2. ... unless each intermediate was told beforehand to keep its gradient
    u.retain_grad(); v.retain_grad(); a.backward();  u.grad, v.grad
    # 3. `grad` of a tuple: every tensor has to be at hand, also those inside a layer; one left unused is an error,
    #    or None with allow_unused=True (zeros with materialize_grads=True)
    torch.autograd.grad(a, (x, w, b, u, v))
    # 4. a hook on each intermediate, which sees the gradient pass (and may replace it)
    seen = {}; u.register_hook(lambda g: seen.update(u=g)); a.backward();  seen["u"]
    # 5. one hook for several tensors, called when all their gradients are there
    torch.autograd.graph.register_multi_grad_hook((u, v), lambda gs: seen.update(uv=gs))
    # 6. a hook on the node that made the tensor, which sees the gradients of its inputs: here of u and b
    v.grad_fn.register_hook(lambda inputs, outputs: seen.update(inputs=inputs))
    # 7. a hook on a leaf once its gradient is accumulated
    x.register_post_accumulate_grad_hook(lambda leaf: seen.update(x=leaf.grad))
    # 8. where the neuron is a module: module.register_full_backward_hook(hook), inputs and outputs of the module only
    # 9. functional: inputs only, so u and v first have to become inputs (say, as zeros that are added to them)
    torch.func.grad_and_value(neuron, argnums=(0, 1, 2))(x, w, b)
    torch.func.vjp(neuron, x, w, b);  torch.autograd.functional.vjp(neuron, (x, w, b))

Here it is the list of names: the partial of `u` is `partials.u`.
"""

import numpy as np
from numpy.typing import NDArray

from adcompile import grad


def relu(z: float) -> float:
    return max(z, 0.0)


@grad(intermediates="u v")
def neuron(x: float, w: float, b: float) -> float:
    u = x * w  # pre-activation
    v = u + b
    a = relu(v)
    return a


# The same with arrays of one element, as PyTorch users often write it. The arithmetic does not change; only, what is
# differentiated has to be a number, so that there is one answer: hence the [0].
@grad(intermediates="u v")
def neuron_of_arrays(x: NDArray[np.float64], w: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    u = x * w
    v = u + b
    a = np.maximum(v, 0.0)
    return a[0]


def main() -> None:
    value, partials = neuron(3.0, 2.0, 1.0)
    print("neuron(3, 2, 1) =", value)
    for name, partial in partials._asdict().items():
        print(f"  da/d{name} = {partial}")

    value, partials = neuron_of_arrays(np.array([3.0]), np.array([2.0]), np.array([1.0]))
    print("with arrays of one element =", value)
    # Each partial is shaped like what it is the partial of: an array of one element.
    for name, partial in partials._asdict().items():
        print(f"  da/d{name} = {partial}")

    # The gradient is a function that can be read.
    print()
    print(neuron.source)


if __name__ == "__main__":
    main()
