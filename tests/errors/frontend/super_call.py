"""`super()` in a method."""


class Base:
    def scale(self, x):
        return 2 * x


class Derived(Base):
    def scale(self, x):
        return 3 * super().scale(x)


f = Derived.scale
