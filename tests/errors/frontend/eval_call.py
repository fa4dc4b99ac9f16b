"""`eval`, under another name."""

compute = eval


def f(x):
    return compute("x * 2", {"x": x})
