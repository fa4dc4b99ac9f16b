"""An item of a dict is set."""

ARGS = (1.5,)


def f(x):
    layer = {"w": x}
    layer["out"] = layer["w"] ** 2
    return layer["out"]
