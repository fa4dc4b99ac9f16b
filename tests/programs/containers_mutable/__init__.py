"""Programs that change lists and dicts, and that consume iterators and Python's own reductions."""
