"""What the compiler has to reach before anything is optimised."""

from ..bar import CostBar, RatioBar

POSITION = 1

BARS = (
    # Dispatch and the record of partials are in the measured call; the hand-written function returns a plain tuple.
    RatioBar("neuron", "adcompile", limit=3.0),
    RatioBar("scalar_loop", "adcompile", limit=1.2),
    CostBar("import_time", limit=0.030),
    CostBar("first_call", limit=0.050),
    CostBar("reading", limit=0.030),
    CostBar("graph_text", limit=1.0),
)
