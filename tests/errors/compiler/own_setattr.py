"""A class decides itself what an object holds after an assignment."""


class Valve:
    def __init__(self, opening):
        self.opening = opening

    def __setattr__(self, name, value):
        object.__setattr__(self, name, min(value, 1.0))


ARGS = (1.2, Valve(0.3))


def f(x, valve):
    valve.opening *= x
    return valve.opening * x
