"""Arrays that lie in memory in many ways, for hypothesis."""
import numpy as np
from hypothesis import strategies as st
from oracle import FLOATS, INTEGERS, is_floating


def elements(dtype, n, seed, specials):
    generator = np.random.default_rng(seed)
    if not is_floating(dtype):
        if dtype == np.bool_:
            return generator.random(n) < 0.5
        info = np.iinfo(dtype)
        low, high = (info.min, info.max) if seed % 3 == 0 and dtype.itemsize < 8 else (max(info.min, -99), 99)
        return generator.integers(low, high, n, dtype=dtype, endpoint=True)
    widest = {"float16": 5, "bfloat16": 60, "float32": 60, "float64": 500}[dtype.name]
    spread = seed % widest
    x = (generator.standard_normal(n) * 2.0 ** generator.integers(-spread, spread, n, endpoint=True)).astype(dtype)
    if seed % 4 == 0 and n:  # much cancels
        x[n // 2 : n // 2 * 2] = -x[: n // 2]
    if seed % 5 == 0 and n:
        x[generator.integers(0, n)] = -0.0
    if specials and n:
        x[generator.integers(0, n)] = generator.choice([np.nan, np.inf, -np.inf])
    return x


@st.composite
def arrays(draw, dtypes=(*FLOATS, *INTEGERS), smallest_axes=0, specials=True, smallest_extent=0):
    """Any strides: transposed, turned around, with gaps, swapped bytes, odd addresses, read-only."""
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(st.lists(st.integers(smallest_extent, 5), min_size=smallest_axes, max_size=4))
    if shape and draw(st.integers(0, 9)) == 0:
        shape[draw(st.integers(0, len(shape) - 1))] = draw(st.integers(60, 300))
    steps = [draw(st.sampled_from([1, 1, 1, 2, 3])) for _ in shape]
    seed = draw(st.integers(0, 2**32 - 1))
    wide = [extent * step for extent, step in zip(shape, steps)]
    order = draw(st.permutations(range(len(shape))))
    whole = elements(dtype, int(np.prod(wide, dtype=np.int64)), seed, specials and draw(st.integers(0, 5)) == 0)
    x = whole.reshape([wide[a] for a in order]).transpose(np.argsort(order) if shape else [])
    x = x[(*(slice(None, None, step) for step in steps), ...)]
    x = x[(*(slice(None, None, draw(st.sampled_from([1, 1, -1]))) for _ in shape), ...)]
    kind = draw(st.sampled_from(["as it is", "as it is", "swapped", "odd address", "read-only"]))
    if kind == "swapped" and dtype.itemsize > 1 and dtype.name != "bfloat16":
        x = x.astype(dtype.newbyteorder(">"))
    elif kind == "odd address":
        raw = np.zeros(x.nbytes + 1, np.uint8)[1:].view(dtype).reshape(x.shape)
        raw[...] = x
        x = raw
    elif kind == "read-only":
        x = x.view()
        x.flags.writeable = False
    return x


@st.composite
def axes_of(draw, x):
    """An argument `axis` of an array."""
    if x.ndim == 0:
        return None
    if draw(st.booleans()):
        return draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    chosen = draw(st.lists(st.integers(0, x.ndim - 1), unique=True))
    return tuple(a - x.ndim if draw(st.booleans()) else a for a in chosen)
