"""What is used for its values: functions, methods and attributes whose result does not vary, or varies in steps.

The second table holds what does vary with its arguments but has no rule: it may be called on what is held fixed.
"""

from __future__ import annotations

from adcompile.rules.forms import constant, opaque

# --------------------------------------------------------------------------------------------- shapes and types

constant("x.index(y)")
constant("x.shape", "x.size", "x.ndim", "x.dtype", "x.nbytes", "x.itemsize", "x.strides", "x.flags", "np.shape",
         "np.size", "np.ndim", "np.dtype", "np.result_type", "np.promote_types", "np.can_cast", "np.issubdtype",
         "np.iterable", "np.isscalar", "np.iscomplexobj", "np.isrealobj", "np.iscomplex", "np.isreal", "np.finfo",
         "np.iinfo", "np.broadcast_shapes", "np.shares_memory", "np.may_share_memory", "np.errstate", "np.geterr",
         "np.set_printoptions", "np.array_equal", "np.array_equiv", "np.typename", "np.min_scalar_type",
         "np.common_type", "np.seterr", "np.lib.NumpyVersion", "np.linalg.matrix_rank", "np.linalg.LinAlgError",
         view="")

# ------------------------------------------------------------------------------------------- arrays made afresh

constant("np.zeros", "np.ones", "np.empty", "np.zeros_like", "np.ones_like", "np.empty_like", "np.eye", "np.identity",
         "np.tri", "np.indices", "np.diag_indices", "np.diag_indices_from", "np.tril_indices", "np.triu_indices",
         "np.tril_indices_from", "np.triu_indices_from", "np.mask_indices", "np.unravel_index", "np.ravel_multi_index",
         "np.ndindex", "np.arange(stop)", "np.hamming", "np.hanning", "np.bartlett", "np.blackman", view="")

# ------------------------------------------------------------------------------------ integers and truth values

# Of an array that is of the type already, a type returns the array itself.
constant("np.int8", "np.int16", "np.int32", "np.int64", "np.uint8", "np.uint16", "np.uint32", "np.uint64", "np.intp",
         "np.bool_", "np.bool")
constant("np.argmax", "np.argmin", "np.nanargmax", "np.nanargmin", "np.argsort", "np.argpartition", "np.lexsort",
         "np.searchsorted", "np.digitize", "np.nonzero", "np.flatnonzero", "np.argwhere", "np.count_nonzero", "np.all",
         "np.any", "np.allclose", "np.isclose", "np.isnan", "np.isinf", "np.isfinite", "np.isneginf", "np.isposinf",
         "np.isnat", "np.signbit", "np.isin", "np.in1d", "np.equal", "np.equal.outer", "np.not_equal", "np.less",
         "np.less_equal", "np.greater", "np.greater_equal", "np.logical_and", "np.logical_or", "np.logical_xor",
         "np.logical_not", "np.bitwise_and", "np.bitwise_or", "np.bitwise_xor", "np.bitwise_not", "np.invert",
         "np.left_shift", "np.right_shift", "np.gcd", "np.lcm", "np.packbits", "np.unpackbits", "operator.lt",
         "operator.le", "operator.eq", "operator.ne", "operator.gt", "operator.ge", "operator.not_", "operator.truth",
         "operator.is_", "operator.is_not", "operator.index", "operator.contains", "np.testing.assert_allclose",
         "np.testing.assert_almost_equal", "np.testing.assert_array_almost_equal", "np.testing.assert_array_equal",
         "np.testing.assert_equal", "np.testing.assert_array_less", "np.testing.assert_", view="")
constant("scipy.ndimage.label", "scipy.ndimage.find_objects", "scipy.ndimage.binary_opening",
         "scipy.ndimage.binary_closing", "scipy.ndimage.binary_erosion", "scipy.ndimage.binary_dilation",
         "scipy.ndimage.binary_fill_holes", "scipy.misc.face", "scipy.datasets.face")

# ----------------------------------------------------------------------------------------------- steps: slope 0

constant("np.floor", "np.ceil", "np.rint", "np.trunc", "np.fix", "np.round", "np.around", "np.floor_divide",
         "np.spacing", view="")

# ----------------------------------------------------------------------------------- random numbers, held fixed

constant("np.random.seed", "np.random.default_rng", "np.random.RandomState", "np.random.Generator",
         "np.random.SeedSequence", "np.random.PCG64", "np.random.get_state", "np.random.set_state", "np.random.random",
         "np.random.random_sample", "np.random.ranf", "np.random.sample", "np.random.rand", "np.random.randn",
         "np.random.randint", "np.random.standard_normal", "np.random.standard_exponential",
         "np.random.standard_cauchy", "np.random.bytes", view="")
opaque("what is drawn varies with this argument; draw standard numbers and scale and shift them", "np.random.normal",
       "np.random.uniform", "np.random.multivariate_normal", "np.random.exponential", "np.random.lognormal",
       "np.random.gamma", "np.random.beta", "np.random.dirichlet", "np.random.laplace", "np.random.logistic",
       "np.random.standard_t", "np.random.standard_gamma", "np.random.chisquare", "np.random.gumbel",
       "np.random.rayleigh", "np.random.weibull", "np.random.vonmises", "np.random.triangular", "np.random.pareto",
       "np.random.power", "np.random.f", "np.random.wald", view="")
opaque("the numbers drawn are those of this argument; draw indices and read it by them", "np.random.choice",
       "np.random.permutation", "np.random.shuffle", "np.random.permuted", view="")
opaque("the distribution of what is drawn varies with this argument in steps that have no derivative",
       "np.random.binomial", "np.random.poisson", "np.random.geometric", "np.random.multinomial",
       "np.random.negative_binomial", "np.random.hypergeometric", "np.random.zipf", "np.random.logseries", view="")

# ----------------------------------------------------------------------- varies, no rule: allowed on fixed values

opaque("it writes numbers down, and what reads them off again has no derivative", "str", "repr", "ascii", "format",
       "np.array2string", "np.array_repr", "np.array_str", "np.format_float_positional", "np.format_float_scientific",
       "x.tobytes()", view="")
opaque("it reads numbers off what they are written down in, which has no derivative", "np.load", "np.loadtxt",
       "np.genfromtxt", "np.fromfile", "np.frombuffer", "np.fromstring", "np.ndarray")
opaque("it makes an array of what is sparse, which is held fixed", "x.toarray()", "x.todense()")
opaque("it makes an index; write the array that is meant", "np.ix_", "np.s_", "np.index_exp")
opaque("its numbers lie between this bound and the other; use `np.linspace`", "np.mgrid", "np.ogrid", view="")
opaque("it has no rule, and its result varies with this argument", "np.unique", "np.union1d", "np.setdiff1d",
       "np.setxor1d", "np.piecewise", view="")
opaque("it has no rule, and its result varies with this argument", "np.from_dlpack", view="xs")
opaque("in which order its values come is not said; take np.unique", "np.unique_all", "np.unique_counts",
       "np.unique_inverse", "np.unique_values")
constant("np.bitwise_count", "np.einsum_path", "np.isdtype", "np.get_printoptions", "np.printoptions", view="")
opaque("it has no rule, and its result varies with this argument", "np.matrix", "np.asmatrix", "np.ma.masked_array",
       "np.ma.array", "np.ma.masked_where", "np.lib.stride_tricks.as_strided", "np.vectorize", "np.frompyfunc",
       "sorted", "scipy.optimize.leastsq", "scipy.fftpack.fft", "scipy.fftpack.ifft",
       "scipy.stats.multivariate_normal")
opaque("its factors are not determined by the matrix", "scipy.linalg.rsf2csf")
opaque("set the items of the matrix, which are products of the coefficients", "scipy.linalg.fiedler_companion")
constant("scipy.stats.rankdata", "scipy.stats.bernoulli.ppf", "scipy.special.bernoulli", view="")
constant(*(f"scipy.linalg.{_name}" for _name in ("hadamard", "helmert", "hilbert", "invhilbert", "pascal",
                                                 "invpascal")), view="")
