"""The memory model: what may share memory, and what is changed by what.

Asked in the same way of the user's function, the generated one and that for machine code:

- `regions.py`: the memory that the value of an expression may be part of.
- `effects.py`: what a statement changes in place, and what it puts into what.
- `sharing.py`: both, followed through a body statement by statement: who shares with whom before each.
- `groups.py`: both, for a whole function at once: whoever may ever share with another is in one group with it.

Exports nothing: import from its files.
"""
