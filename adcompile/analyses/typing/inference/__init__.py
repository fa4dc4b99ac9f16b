"""The parts of kind inference (`kinds.py`): what is found of each form of expression and statement."""
