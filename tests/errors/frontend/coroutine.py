"""A coroutine."""


async def f(x: float) -> float:
    return x
