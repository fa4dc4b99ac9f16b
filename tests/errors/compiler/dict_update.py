"""A dict is updated."""

ARGS = ({"w": 1.5, "b": 0.5},)


def f(params):
    params.update({"w": params["w"] * 2})
    return params["w"] * params["b"]
