"""A line indented with tabs, under a decorator."""


def same(fn):
	return fn


def outer():
	@same
	def inner(x):
		if x > 0:
			import math
		return x

	return inner


f = outer()
