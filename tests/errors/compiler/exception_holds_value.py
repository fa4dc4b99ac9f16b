"""A handler that takes a value out of an exception."""


class TooLargeError(Exception):
    pass


def checked(x):
    if x > 1.0:
        raise TooLargeError(x)
    return x


def f(x):
    y = 1.0
    try:
        y = checked(x)
    except TooLargeError as error:
        y = float(error.args[0])
    return y


ARGS = (1.5,)
