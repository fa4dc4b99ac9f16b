"""A view of a dict that is put into something shows what the dict holds later on."""

ARGS = (1.3,)

def f(x):
    d = {"a": x}
    held = {"values": d.values()}
    d["a"] = x * 3.0
    return sum(held["values"])
