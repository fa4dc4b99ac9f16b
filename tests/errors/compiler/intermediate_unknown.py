"""An intermediate that is not there, close to one that is."""

ARGS = (1.0, 2.0)
OPTIONS = {"intermediates": "hiden"}


def f(x, w):
    hidden = x * w
    out = hidden * hidden
    return out
