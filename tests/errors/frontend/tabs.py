"""A line indented with tabs, under a decorator."""


def same(fn):
	return fn


def outer():
	@same
	def inner(x):
		if x > 0:
			y = yield x
		return x

	return inner


f = outer()
