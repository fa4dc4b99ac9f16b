"""What adcompile costs, beside its peers: `python -m tests.benchmarks` from the root of the repository.

Everything here is found by looking into four packages, so that adding a file adds a row, a column or a bar:

- `workloads/`: a function as an ordinary user writes it, its hand-written adjoint, and the same function for peers;
- `executors/`: a way to get value and partials of a workload (by hand, adcompile, PyTorch, ...);
- `costs/`: what is paid once (the import, the first call);
- `bars/`: what must hold between the numbers.
"""
