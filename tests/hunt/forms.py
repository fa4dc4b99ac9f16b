"""What can stand in a program that is written by trying: texts with places for what is there (`trying.py`).

{v} an array or something made of one   {a} the name of one   {x} a vector   {M} a matrix   {s} a number   {i} an index
{k} a length   {axis} an axis   {c} a level to compare with   {p} a positive number   {u} something done to an array
{y} the name of an array, the same one each time
"""

from __future__ import annotations

CONSTANTS = ("0.5", "2.0", "-0.3", "1.7", "1", "2", "np.int64(3)", "np.float64(0.7)", "np.float32(0.5)")
LEVELS = ("0.13", "-0.21", "0.47", "-9.0", "9.0")
LENGTHS = ("1", "2", "n", "len({a})", "{a}.shape[0]", "{a}.shape[-1]", "{a}.size", "n - 1", "n // 2", "n + 1", "3", "0")

SMOOTH = (
    "np.sin({v})", "np.tanh({v})", "np.exp(-{v}**2)", "np.sqrt(1.0 + {v}**2)", "np.log1p({v}**2)", "np.arctan({v})",
    "np.abs({v})", "np.maximum({v}, {c})", "np.minimum({v}, {s})", "np.where({v} > {c}, {v}, {s})", "np.square({v})",
    "np.where({v} > {c}, np.sin({v}), 0.0)", "np.clip({v}, -0.5, {p})", "-{v}", "{v}**2", "{v}**3", "{s} * {v}",
    "{v} / {p}", "{v} + {s}", "{s} - {v}", "({v} > {c}) * {v}", "np.sign({v}) * {v}", "np.nan_to_num({v})",
    "{v}.astype(np.float32)", "np.asarray({v}, dtype=float)", "np.real({v} * (1.0 + 0.5j))", "np.cos({v}) * {s}",
    "np.abs({v} * (0.5 + 1.0j))", "np.float32({p}) * {v}", "{v} * True", "{v} - np.mean({v})", "np.hypot({v}, {p})",
)  # fmt: skip

REDUCED = (
    "np.sum({v}, axis={axis}, keepdims=True)", "np.mean({v}, axis={axis}, keepdims=True)", "np.sum({v}, axis={axis})",
    "{v}.mean(axis={axis})", "{v}.sum(axis={axis}, keepdims=True)", "np.max({v}, axis={axis}, keepdims=True)",
    "{v}.min(axis={axis})", "np.prod({v}, axis={axis}, keepdims=True)", "np.sum({v}, keepdims=True)",
    "np.mean({v}, keepdims=True)", "np.linalg.norm({v}, axis={axis}, keepdims=True)", "np.cumsum({v}, axis={axis})",
    "np.var({v}, axis={axis}, keepdims=True)", "np.cumsum({v})", "np.average({v}, axis={axis})",
    "np.std({v}, axis={axis})", "np.median({v}, axis={axis}, keepdims=True)", "np.diff({v}, axis={axis})",
    "np.cumprod({v}, axis={axis})", "np.ptp({v}, axis={axis})", "np.add.reduce({v}, axis={axis})",
    "np.nansum({v}, axis={axis})", "np.quantile({v}, 0.3, axis={axis})",
)  # fmt: skip

COMPUTED = (
    "{v}.reshape(-1, {k})", "{v}.reshape({k}, -1)", "np.reshape({v}, (-1, {k}))", "{v}.reshape(-1)",
    "{v}.reshape(1, -1)", "{v}.reshape(-1, 1)", "{v}.reshape({k}, {k})", "{v}.reshape({k}, -1, {k})",
    "{v}.reshape({a}.shape)", "{v}.ravel()", "{v}[1:]", "{v}[:-1]", "{v}[::2]", "{v}[:1]", "{v}[-1:]", "{v}[:{k}]",
    "{v}[{k}:]", "{v}[1:-1]", "{v}[::-1]", "{v}[-{k}:]", "{v}[:, :1]", "{v}[:, 1:]", "{v}[:, -1:]", "{v}[..., :1]",
    "{v}[..., 1:]", "{v}[:, 0]", "{v}[0]", "{v}[-1]", "{v}[{i}]", "{v}[:, ::2]", "{v}[1:, :1]", "{v}[..., 0]",
    "{v}[:, {i}]", "{v}[{i}:]", "{v}[:{i} + 1]", "{v}[{i}:{i} + 1]", "{v}[:, None]", "{v}[None]", "{v}[..., None]",
    "{v}[None, :, None]", "np.expand_dims({v}, {axis})", "{v}[:, None] * {v}", "{v}[:, None] - {v}", "np.squeeze({v})",
    "np.atleast_2d({v})", "{v}.T", "np.swapaxes({v}, 0, -1)", "{v}.T[0]", "np.concatenate([{v}, {v}])",
    "np.concatenate(({v}, {v}[:1]), axis={axis})", "np.concatenate([{x}, {x}])",
    "np.concatenate([{v}, {v}], axis={axis})", "np.stack([{v}, {v}])", "np.stack(({v}, {v}), axis=-1)",
    "np.append({v}, {s})", "np.hstack([{v}, {v}])", "np.vstack(({v}, {v}))", "np.column_stack([{v}, {v}])",
    "np.r_[{x}, {s}]", "np.c_[{v}, {v}]", "np.tile({v}, {k})", "np.repeat({v}, {k})", "np.repeat({v}, 2, axis={axis})",
    "np.outer({x}, {x})", "np.pad({x}, (1, 0))", "np.broadcast_to({v}, ({k}, *{v}.shape))",
    "np.broadcast_to({s}, {a}.shape)", "np.roll({v}, 1)", "np.flip({v})", "np.cross({v}, {v})",
    "np.cross({M}, {M}) + {M}", "np.split({v}, [{k}])[0]", "np.array_split({v}, 2)[1]", "np.split({v}, [1])[1]",
    "np.hsplit({v}, [1])[0]", "np.delete({v}, 0)", "np.insert({x}, 0, {s})", "np.diag({x})", "np.diag({M})",
    "np.diagonal({M})", "np.trapezoid({v}, axis={axis}) * {v}", "np.full({k}, {s})", "np.full({a}.shape, {s})",
    "np.linspace({s}, 1.0, {k})", "np.zeros({k}) + {s}", "np.ones(({k}, {k})) * {s}", "np.ones_like({a}) * {s}",
    "np.arange({k}) * {s}", "np.kron({x}, {x})", "np.meshgrid({x}, {x})[0]", "np.triu({M})", "np.tril({M}, -1)",
    "np.array([{s}, {s}])", "np.array([{v}, {v}])", "np.array([r * {s} for r in {x}])", "np.array([{s}])",
    "np.eye({k}) * {s}", "{v}[:100]", "{v}[3:]", "{v}[2:-2]", "{v}[:, 2:]", "{v}[-2:]", "{v}[1::2, None]",
    "{v}[::-2]", "{v}[..., -3:]", "{v}[{k}:{k} + 2]", "np.resize({v}, {k})", "{v}.reshape(-1, 1, {k})",
    "{v}.reshape(len({a}), -1)", "{v}.reshape(-1, len({a}))", "np.reshape({v}, {a}.shape)", "{v}.reshape(2, -1)",
    "np.zeros((len({a}), {k})) + {s}", "np.full((2, {k}), {s})", "np.moveaxis({v}, 0, -1)", "np.array_split({v}, 3)[2]",
    "{v}.reshape(*{a}.shape, -1)", "np.concatenate([{v}[:1], {v}[:-1]])", "np.take({v}, [0], axis={axis})",
)  # fmt: skip

PICKED = (
    "{v}[{v} > {c}]", "{x}[{x} > {c}]", "{M}[{M}[:, 0] > {c}]", "{v}[[0, -1]]", "{v}[[0, 0]]",
    "{v}[np.arange(len({v})) % 2 == 0]", "{v}[np.nonzero({v} > {c})]", "{v}[np.argsort({v}, axis=0)[0]]",
    "np.take({v}, [0, -1], axis={axis})", "np.sort({v}, axis={axis})", "np.compress({x} > {c}, {x})",
    "np.take_along_axis({v}, np.argsort({v}, axis={axis}), axis={axis})", "{x}[np.flatnonzero({x} > {c})]",
    "{M}[np.arange(len({M})), 0]", "{M}[:, [0, 0]]", "np.extract({v} > {c}, {v})", "{v}[np.abs({v}) > 0.2]",
    "{v}[{v} > {c}] * {s}", "{M}[np.ix_([0], [0])]", "np.select([{v} > {c}], [{v}], {s})", "np.choose(0, [{v}, {v}])",
    "np.where({v} > {c}, {v}, {v} * {s})",
)  # fmt: skip

PRODUCTS = (
    "{M} @ {x}", "{x} @ {M}", "{M} @ {M}", "{M}.T @ {M}", "{M} @ {M}.T", "np.dot({v}, {v})",
    "np.einsum('ij,j->i', {M}, {x})", "np.einsum('ij,ij->j', {M}, {M})", "np.einsum('i,j->ij', {x}, {x})",
    "np.tensordot({v}, {v}, axes=1)", "np.inner({v}, {v})",
    "np.linalg.solve({M} @ {M}.T + 2.0 * np.eye(len({M})), {v})",
    "np.linalg.inv({M} @ {M}.T + 2.0 * np.eye(len({M})))", "np.convolve({x}, {x})", "np.matmul({v}, {v})",
    "np.outer({v}, {v})", "np.trace({M}) * {M}", "np.vdot({v}, {v}) * {v}",
)  # fmt: skip

COMBINED = (
    "{v} * {v}", "{v} + {v}", "{v} - {v}", "{v} / (1.5 + {v}**2)", "{v} * {v} + {v}", "({v} - {v})**2",
    "{v} * {s} + {v}", "{v} / (0.5 + np.sum({v}**2, axis={axis}, keepdims=True))",
    "{v} - np.mean({v}, axis={axis}, keepdims=True)", "{v} * {v}[:1]", "{v}[1:] * {v}[:-1]", "{v}[1:] - {v}[:-1]",
    "{v}[:, :2] / (2.0 + {v}[:, 2:]**2)", "{v}[:, 1:] * {v}[:, :1]", "{v} * np.mean({v})", "np.maximum({v}, {v})",
    "np.arctan2({v}, 2.0 + {v}**2)", "{v}**2 * (1 + np.sum({v}**2, axis={axis}, keepdims=True))", "np.hypot({v}, {v})",
    "np.where({v} > {v}, {v}, {v})", "{v}.reshape(-1, {k}) * {v}", "{v} * {v}.reshape({k}, -1)",
    "{v}[..., None] * {v}", "{v} @ {v}", "np.logaddexp({v}, {v})",
    "np.divide({v}, {v}, out=np.zeros_like({v}), where={v} > {c})", "np.add({v}, {v})",
    "np.sqrt({y}, out=np.zeros_like({y}), where={y} > 0.1)", "{v} * ({v} > {c})", "{v} * (1.0 + 0.5j)",
    "np.where({y} > 0.1, np.log(np.abs({y})), {v})",
)  # fmt: skip

NUMBERS = (
    "np.sum({v})", "{v}.sum()", "np.mean({v})", "{v}.mean()", "np.max({v})", "np.min({v})", "np.linalg.norm({v})",
    "np.prod({v})", "{x}[0]", "{x}[-1]", "{M}[0, 0]", "{M}[-1, -1]", "{v}.item(0)", "float(np.sum({v}))",
    "float({x}[0])", "{v}.flat[0]", "np.mean({v}[{v} > {c}])", "np.mean({v} > {c}) * {s}", "np.sum({v} > {c}) * {s}",
    "np.average({v})", "np.std({v})", "np.median({v})", "max({s}, {s})", "min({s}, {s})", "abs({s})", "math.sin({s})",
    "{s} * {s}", "{s} + {s}", "{s} / (1.5 + {s} * {s})", "np.tanh({s})", "len({a}) * {s}", "{a}.size * {s}",
    "{a}.shape[0] * {s}", "np.sum({v}) / len({a})", "np.sum({v}) / {a}.size", "np.dot({x}, {x})", "sum({x})",
    "max({x})", "sum([r * r for r in {x}])", "np.sum([r * {s} for r in {x}])", "{x} @ {x}", "np.trace({M})",
    "np.linalg.det({M}.T @ {M} + np.eye({M}.shape[1]))", "np.sum(np.diff({v}))", "({s} if {s} > {c} else {s})",
    "np.sqrt(np.sum({v}**2) + 0.1)", "np.maximum({s}, {s})", "np.sum({v} * {v})", "np.ptp({v})", "np.var({v})",
    "{a}[0].sum()", "np.sum({a}[-1:])", "{v}.max()", "math.hypot({s}, {s})", "np.average({v}, weights={v}**2 + 0.1)",
    "np.mean({v}, axis=0).sum()", "np.trapezoid({x})", "math.fsum({x})",
    "np.interp({s}, [-2.0, 0.3, 2.0], [0.1, 0.7, 0.2])", "np.float64({s})", "np.squeeze({v}[:1]).sum()",
    "float(np.max({v}))",
)  # fmt: skip

UPDATES = (
    "{a} += {v}", "{a} *= {v}", "{a} -= {s}", "{a} *= {s}", "{a} /= {p}", "{a} **= 2", "{a} += {a}", "{a} += {u}",
    "{a} *= {a}", "{a}[0] = {s}", "{a}[{i}] = {s}", "{a}[-1] += {s}", "{a}[{i}] *= {s}", "{a}[1:] += {v}",
    "{a}[:1] = {v}", "{a}[:-1] *= {s}", "{a}[::2] = {s}", "{a}[...] = {v}", "{a}[:] = {u}", "{a}[{a} > {c}] = {s}",
    "{a}[{a} > {c}] *= {s}", "{a}[1:] = {a}[:-1]", "{a}[:, 0] = {v}", "{a}[0] = {v}", "{a}[:, 0] = {a}[0]",
    "{a}[0] = {a}[:, 0]", "{a}[:, -1] += {a}[0]", "{a}[:, 0] *= {s}", "{a}[1:] -= {a}[:-1]", "{a}[..., 0] = {s}",
    "{a}[:, :1] = {v}", "np.add({a}, {v}, out={a})", "np.multiply({a}, {s}, out={a})", "np.sin({v}, out={a})",
    "np.add({v}, {v}, {a})", "np.copyto({a}, {v})", "np.copyto({a}[:, 0], {a}[0])", "{a}.fill({s})",
    "np.clip({a}, -0.5, {p}, out={a})", "np.add.at({a}, [0, 0], {s})", "np.subtract({v}, {a}, out={a}[...])",
    "{a}.sort()", "np.cumsum({a}[:], axis=0, out={a}[:])", "np.put({a}, [0], {s})", "{a}[[0, -1]] = {s}",
    "{a}[[0, 0]] += {s}", "{a}.T[0] = {s}", "{a}.flat[0] = {s}", "{a}[0], {a}[-1] = {a}[-1], {a}[0]",
    "np.fill_diagonal({a}, {s})", "{a}[{a} > {c}] = 1 / (1.5 + {a}[{a} > {c}]**2)", "np.maximum({a}, {c}, out={a})",
    "{a}.reshape(-1)[0] = {s}", "{a}.ravel()[-1:] += {s}", "np.mean({a}, axis=0, out={a}[0])", "{a} @= {v}",
    "np.sqrt(np.abs({y}), out={y}, where={y} > {p})", "np.putmask({a}, {a} > {c}, {s})",
    "np.place({a}, {a} > {c}, [{s}])",
)  # fmt: skip

VIEWS = (
    "np.linalg.matrix_power({a}, 1)", "np.diff({a}, n=0)", "np.asarray({a})", "np.asanyarray({a})", "np.require({a})",
    "np.ascontiguousarray({a})", "np.atleast_1d({a})", "np.squeeze({a})", "np.ravel({a})", "{a}.reshape(-1)", "{a}.T",
    "np.transpose({a})", "np.swapaxes({a}, 0, -1)", "np.moveaxis({a}, 0, -1)", "np.rollaxis({a}, 0)", "{a}.real",
    "np.real({a})", "{a}[...]", "{a}[:]", "np.split({a}, 1)[0]", "np.array_split({a}, 2)[0]", "np.vsplit({a}, 1)[0]",
    "np.diagonal({a})", "{a}[None][0]", "np.expand_dims({a}, 0)[0]", "np.flip({a})", "np.rot90({a})",
    "np.array({a}, copy=False)", "{a}.astype(float, copy=False)", "np.array({a})", "{a}.copy()", "+{a}",
    "np.positive({a})", "{a}.conj()", "np.conjugate({a})", "np.repeat({a}, 1, axis=0)", "np.tile({a}, 1)",
    "np.roll({a}, 0)", "{a} * 1.0", "np.delete({a}, [])", "np.concatenate([{a}])", "np.stack([{a}])[0]",
    "np.float64({a})", "operator.pos({a})", "list({a})[0]", "{a}.squeeze()", "{a}.swapaxes(0, -1)", "{a}.flatten()",
    "np.atleast_2d({a})", "np.unstack({a})[0]", "np.matrix_transpose({a})", "{a}.mT",
)  # fmt: skip

RARE = (  # refused so far
    "{a}.__getitem__(0)", "operator.getitem({a}, 0)", "{a}.__array__()", "{a}.view()",
    "next(iter({a}))", "np.broadcast_arrays({a}, 1.0)[0]", "np.nan_to_num({a}, copy=False)", "np.trim_zeros({a})",
    "np.maximum.accumulate({a})", "np.lib.stride_tricks.sliding_window_view({a}, 1, axis=0)", "{a}.__mul__({s})",
    "np.logaddexp.reduce({a})", "np.ma.masked_array({a})", "np.matrix({a})", "{a}.__imul__({s})", "np.nditer({a})",
    "np.vectorize(abs)({a})",
)  # fmt: skip

FLAGS = (
    "{v}[m]", "{v} * q", "q * {s}", "np.where(m, {v}, {s})", "{v}[q % len({a})]", "(q[1:] - q[:-1]) * {s}",
    "(q + q) * {v}", "np.sum(q) * {v}", "m * {v}", "{v} * ~m", "(m & (x > {c})) * {v}", "np.mean(m) * {v}", "{v}[~m]",
    "(q - 3) * {s}", "(-q) * {v}", "(q // 2) * {s}", "(q * q) * {v}", "q / {p} * {s}", "{v} ** (q % 3)",
    "m.astype(float) * {v}", "q.astype(float) * {s}", "np.concatenate([q, {x}])", "np.where(q > 1, {v}, {v})",
    "np.repeat({v}, q % 3, axis=0)", "{v} * np.max(q)", "np.cumsum(q) * {s}", "np.compress(m, {v}, axis=0)",
    "np.bincount(q, {x})", "np.stack([m, m]) * {s}", "np.dot(q, {v})", "q @ {v}", "np.maximum(q, {v})",
)  # fmt: skip

ARRAYS = (*SMOOTH, *SMOOTH, *REDUCED, *REDUCED, *COMPUTED, *PICKED, *PRODUCTS, *COMBINED, *COMBINED, *FLAGS)

OPAQUE = (
    "np.int64(3) * {v}", "{v} @ np.eye(len({a}))", "np.eye(len({a})) @ {v}", "np.bool_(True) * {v}",
    "np.array(2) * {v}", "{v} * np.uint8(2)", "np.ones(len({a}), dtype=np.int32) * {v}",
    "{v} + np.arange(len({a}), dtype=np.uint8)", "np.array({s}) * {v}", "np.array([True, False])[0] * {v}",
    "{v} * np.arange({a}.size).reshape({a}.shape)", "({a} > {c}) @ {v}", "np.float16(0.5) * {v}",
    "{v} * np.ones({a}.shape, dtype='>f8')", "operator.mul({v}, {v})", "operator.matmul({v}, {v})",
    "operator.add({v}, {s})", "sum([{v}, {v}])",
)  # fmt: skip

TESTS = (
    "{s} > {c}", "n > 1", "len({a}) > 1", "{a}.size", "{a}.shape[0] == {a}.shape[-1]", "np.sum({v}) > {c}",
    "{a}.ndim == 2", "n % 2 == 0", "np.any({v} > {c})", "np.all({v} > -9.0)", "not n", "len({a})", "{s} < {s}",
    "np.max(np.abs({v})) < 5.0",
)  # fmt: skip

HEADS = (
    ("for {i} in range(n):", "{i} = range(n)[0]"),
    ("for {i} in range(n):", "{i} = range(n)[0]"),
    ("for {i} in range(len({a})):", "{i} = 0"),
    ("for {i} in range(2):", "{i} = 0"),
    ("for {i} in range(3):", "{i} = 0"),
    ("for {i} in reversed(range(n)):", "{i} = range(n)[-1]"),
    ("for {i} in range(1, n):", "{i} = range(1, n)[0]"),
)

# What a loop carries: how it starts, and a line or two of the loop.
CARRIED = (
    ((), ()),
    ((), ("{a}[{i}] = {s}",)),
    ((), ("{a} = {u}",)),
    ((), ("{a} = {v}",)),
    (("{e} = 0.0",), ("{e} += {s}",)),
    (("{e} = 0.0",), ("{e} = {e} * 0.5 + {x}[{i}]",)),
    (("{e} = 0.0",), ("{e} = max({e}, abs({x}[{i}]))",)),
    (("{e} = 9.0",), ("{e} = min({e}, {s})",)),
    (("{e} = -9.0",), ("if {s} > {e}:\n    {e} = {s}",)),
    (("{e} = {x}[0]",), ("if {x}[{i}] > {e}:\n    {e} = {x}[{i}]",)),
    (("{e} = {v}",), ("{e} = {e} * {s}",)),
    (("{e} = {v}",), ("{e} = {e} + {v}",)),
    (("{e} = np.zeros(n)",), ("{e}[{i}] = {s}",)),
    (("{e} = np.zeros(n + 1)",), ("{e}[{i}] = {x}[{x} > {c}].mean()",)),
    (("{e} = np.zeros(n + 1)",), ("{e}[{i}] += np.mean({x}[:{i} + 1])",)),
    (("{e} = np.zeros_like({a})",), ("{e}[{i}] = {a}[{i}] * {s}",)),
    (("{e} = np.zeros(({k}, n))",), ("{e}[:, {i}] = {v}",)),
    (("{e} = []",), ("{e}.append({s})", "{e}[-1] *= 0.5")),
    (("{e} = {x} * 1.0",), ("{e} = np.append({e}, {s})",)),
    (("{e} = {x}",), ("{e} = {e}[1:] * {s}",)),
    (("{e} = {v}",), ("{e} = np.concatenate([{e}, {e}[:1]])",)),
    (("{e} = 1.0",), ("if np.sum({v}) < {e}:\n    {e} = np.sum({v})",)),
    (("{e} = 0.0",), ("for r in {x}:\n    {e} += r * {s}",)),
    (("{e} = 0.0",), ("if {x}[{i}] > {c}:\n    continue", "{e} += {x}[{i}] * {s}")),
    (("{e} = 1.0",), ("{e} = {e} * 0.5 + {s}", "if {e} > 3.0:\n    break")),
)  # fmt: skip

ENDS = (
    "np.sum({v})", "np.sum({v} * {v})", "np.sum(np.sin({v}))",
    "np.sum({v} * np.arange(1.0, {v}.size + 1.0).reshape({v}.shape))",
    "np.sum({v} * np.arange(1.0, {v}.size + 1.0).reshape({v}.shape))", "np.sum({v} * s)", "({v}**2).sum()",
)  # fmt: skip
ENDS_COMPLEX = ("np.sum(np.abs({v})**2)", "np.real(np.sum({v}))", "np.sum({v}.real * {v}.imag)")
