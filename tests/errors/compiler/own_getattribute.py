"""A class decides itself what is read of an object."""


class Valve:
    def __init__(self, opening):
        self.opening = opening

    def __getattribute__(self, name):
        found = object.__getattribute__(self, name)
        return 2.0 * found if name == "opening" else found


ARGS = (1.2,)


def f(x):
    return Valve(x).opening * x
