"""A coroutine defined in a function."""


def f(x):
    async def inner():
        return x

    return inner
