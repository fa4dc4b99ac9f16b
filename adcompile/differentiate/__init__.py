"""Differentiation: IR to IR, the two sweeps and the forward mode. Exports nothing: the pipeline uses `reverse.py`, `forward.py`."""
