"""The intermediate representation: nodes, kinds of values, and what every pass does with them (walk, build, show)."""
