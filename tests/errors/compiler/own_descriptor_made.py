"""A descriptor decides what an object holds that the function makes."""


class Capped:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return getattr(instance, self.name)

    def __set__(self, instance, value):
        setattr(instance, self.name, min(value, 1.0))


class Valve:
    opening = Capped()

    def __init__(self, opening):
        self.opening = opening


ARGS = (1.2,)


def f(x):
    return Valve(3.0 * x).opening * x
