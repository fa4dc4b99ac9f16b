"""What optimisation has to reach: close to the adjoint by hand on every row, with and without `jit`."""

from ..bar import CostBar, MeanBar, MemoryBar, RatioBar

POSITION = 2

WORKLOADS = (
    "neuron",
    "two_variables",
    "scalar_loop",
    "rosenbrock_vectorised",
    "rosenbrock_loop",
    "mlp",
    "gauss_seidel",
    "logistic_regression",
    "burgers",
    "mixture",
    "cholesky",
    "durbin",
    "seidel2d",
    "syrk",
    "gmm_d10",
    "gmm_d32",
    "ba",
    "ba_loop",
    "ba_jacobian",
    "lstm",
    "hand_tracking",
    "kalman",
    "hmm",
    "nbody",
    "sir",
    "binomial_tree",
    "finite_elements",
)
AGAINST_C = {
    "scalar_loop": 1.3,
    "gauss_seidel": 1.3,
    "cholesky": 1.3,
    "lstm": 1.3,
    "burgers": 1.5,
    "seidel2d": 2.5,
    "durbin": 2.5,
}
AGAINST_JAX = {
    "scalar_loop": 0.5,
    "lstm": 0.5,
    "burgers": 0.2,
    "ba_loop": 0.2,
    "ba_jacobian": 0.2,
    "durbin": 0.2,
    "gauss_seidel": 0.02,
    "seidel2d": 0.02,
    "cholesky": 0.02,
    "gmm_d10": 0.85,
}

BARS = (
    *(RatioBar(name, "adcompile", 1.25) for name in WORKLOADS),
    *(RatioBar(name, "adcompile_jit", 1.3, "hand_numba") for name in WORKLOADS),
    *(RatioBar(name, "adcompile_jit", limit, "hand_c") for name, limit in AGAINST_C.items()),
    *(RatioBar(name, "adcompile_jit", limit, "jax") for name, limit in AGAINST_JAX.items()),
    MeanBar("adcompile_jit", 1.1, "hand_numba"),
    MeanBar("adcompile", 3.0, "primal"),
    MeanBar("adcompile_jit", 2.2, "primal_numba"),
    # The record of partials, and what the counting of pages blurs.
    *(MemoryBar(name, "adcompile", 1.1, "hand", allowance=2**12) for name in WORKLOADS),
    *(MemoryBar(name, "adcompile_jit", 1.1, "hand_numba", allowance=2**18) for name in WORKLOADS),
    CostBar("long_function", limit=4.0),
    CostBar("jit_first_call", limit=1.5),
    CostBar("jit_reload", limit=0.010),
)
