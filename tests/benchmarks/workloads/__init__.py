"""One module per row of the table: see `tests.benchmarks.workload.Workload` for what it declares."""
