"""A method keeps a value on `self`."""


class Model:
    def __init__(self, scale):
        self.scale = scale
        self.last = 0.0

    def energy(self, x):
        self.last = self.scale * x * x
        return self.last


f = Model(2.0).energy
ARGS = (3.0,)
