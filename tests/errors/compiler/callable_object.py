"""An object with `__call__`."""


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return self.w * x


layer = Layer(2.0)
ARGS = (1.5,)


def f(x):
    return layer(x) * x
