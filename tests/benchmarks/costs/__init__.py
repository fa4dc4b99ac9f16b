"""One module per one-off cost: see `tests.benchmarks.cost.Cost` for what it declares."""
