"""One module per column of the table: see `tests.benchmarks.executor.Executor` for what it declares."""
