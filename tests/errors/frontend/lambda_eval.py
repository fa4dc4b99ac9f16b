"""A refusal within a lambda on a line with other things."""

fs = [lambda x: x + 1, lambda x: eval("x")]
f = fs[1]
