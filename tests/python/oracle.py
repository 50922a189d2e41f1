"""Results by fractions, which share nothing with foldline: exact, then rounded once."""
import functools
import math
from fractions import Fraction

import ml_dtypes
import numpy as np

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype(name) for name in ("float16", "float32", "float64")] + [BFLOAT16]
INTEGERS = [np.dtype(name) for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")]
# Significant bits, and the exponent of the last place of the smallest numbers.
FORMATS = {"float16": (11, -24), "bfloat16": (8, -133), "float32": (24, -149), "float64": (53, -1074)}
LARGEST_EXPONENT = {"float16": 16, "bfloat16": 128, "float32": 128, "float64": 1024}


@functools.cache
def is_floating(dtype):
    return dtype.name in FORMATS


def rounded(value, dtype, zero=0.0):
    """A fraction as a number of the dtype, to nearest, ties to even; `zero` is what an exact zero becomes."""
    dtype = np.dtype(dtype)
    if not is_floating(dtype):
        assert value.denominator == 1
        return np.array(int(value), dtype)[()]
    if value == 0:
        return np.array(zero, dtype)[()]
    bits, last = FORMATS[dtype.name]
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length() - bits - 1
    while True:
        place = max(exponent, last)
        scaled = magnitude / Fraction(2) ** place
        if scaled < 2**bits:
            break
        exponent += 1
    whole = round(scaled)  # ties to even
    result = Fraction(whole) * Fraction(2) ** place
    if result >= Fraction(2) ** LARGEST_EXPONENT[dtype.name]:
        result = math.inf
    return np.array(math.copysign(float(result), 1 if value > 0 else -1), np.float64).astype(dtype)[()]


def root(value):
    """The root of a fraction, close enough that it rounds as the root does, and exact where the root is."""
    shift = max(0, 300 - value.numerator.bit_length() + value.denominator.bit_length())
    scaled = value * Fraction(4) ** shift
    whole = math.isqrt(scaled.numerator // scaled.denominator)
    if Fraction(whole) ** 2 == scaled:
        return Fraction(whole, 2**shift)
    return Fraction(2 * whole + 1, 2 * 2**shift)


def fractions(x):
    # Whose list has Python's numbers; of bfloat16 it has not.
    values = x.astype(np.float64) if is_floating(x.dtype) else x.astype(object)
    return [Fraction(e) for e in values.ravel().tolist()]


def special(x):
    """NaN or an infinity if the sum of the elements is none of the numbers."""
    if not is_floating(x.dtype):
        return None
    values = x.astype(np.float64).ravel().tolist()
    infinities = {v for v in values if math.isinf(v)}
    if any(math.isnan(v) for v in values) or len(infinities) > 1:
        return math.nan
    return infinities.pop() if infinities else None


def negative_zero(x):
    """-0.0 if there is nothing but negative zeros."""
    if x.size == 0 or not is_floating(x.dtype):
        return 0.0
    return -0.0 if all(v == 0 and math.copysign(1, v) < 0 for v in x.astype(np.float64).ravel().tolist()) else 0.0


def sum_type(dtype):
    if is_floating(dtype):
        return dtype
    return np.dtype("uint64" if dtype.kind == "u" else "int64")


def mean_type(dtype):
    return dtype if is_floating(dtype) else np.dtype("float64")


def sum_of(x, dtype=None):
    dtype = np.dtype(dtype) if dtype is not None else sum_type(x.dtype)
    odd = special(x)
    return np.array(odd).astype(dtype)[()] if odd is not None else rounded(sum(fractions(x)), dtype, negative_zero(x))


def mean_of(x, dtype=None):
    dtype = np.dtype(dtype) if dtype is not None else mean_type(x.dtype)
    odd = math.nan if x.size == 0 else special(x)
    if odd is not None:
        return np.array(odd).astype(dtype)[()]
    total = sum(fractions(x))
    result = rounded(total / x.size, dtype, negative_zero(x))
    return result if total >= 0 or result != 0 else -abs(result)


def exact_variance(x, ddof):
    values = fractions(x)
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values) / (len(values) - ddof)


def var_of(x, ddof=0, dtype=None):
    dtype = np.dtype(dtype) if dtype is not None else mean_type(x.dtype)
    if x.size <= ddof or special(x) is not None:
        return np.array(math.nan).astype(dtype)[()]
    return rounded(exact_variance(x, ddof), dtype)


def std_of(x, ddof=0, dtype=None):
    dtype = np.dtype(dtype) if dtype is not None else mean_type(x.dtype)
    if x.size <= ddof or special(x) is not None:
        return np.array(math.nan).astype(dtype)[()]
    return rounded(root(exact_variance(x, ddof)), dtype)


def norm_of(x, dtype=None):
    dtype = np.dtype(dtype) if dtype is not None else mean_type(x.dtype)
    odd = special(abs(x)) if is_floating(x.dtype) else None
    if odd is not None:
        return np.array(odd).astype(dtype)[()]
    return rounded(root(sum((v * v for v in fractions(x)), Fraction(0))), dtype)


def dot_of(x, y, dtype):
    if special(x) is not None or special(y) is not None:
        return np.array(float(np.sum(x.astype(np.float64) * y.astype(np.float64)))).astype(dtype)[()]
    return rounded(sum((a * b for a, b in zip(fractions(x), fractions(y), strict=True)), Fraction(0)), dtype)


def along(function, x, axis=None, keepdims=False, where=None):
    """Results along axes, each from the elements that one result is made of."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = {a % x.ndim for a in axes}
    kept = [a for a in range(x.ndim) if a not in axes]
    mask = np.broadcast_to(True if where is None else where, x.shape)
    moved = x.transpose(kept + sorted(axes))
    moved_mask = mask.transpose(kept + sorted(axes))
    shape = tuple(x.shape[a] for a in kept)
    results = [function(moved[place][moved_mask[place]]) for place in np.ndindex(shape)]
    wanted = tuple(1 if a in axes else x.shape[a] for a in range(x.ndim)) if keepdims else shape
    dtype = results[0].dtype if results else function(np.ones(3, x.dtype)).dtype
    return np.array(results, dtype).reshape(wanted)


def same_bits(a, b):
    """Whether type, shape and bits are the same (the canonical NaN equals itself)."""
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def assert_same(a, b):
    assert same_bits(a, b), f"{a!r} {getattr(a, 'dtype', type(a))} is not {b!r} {getattr(b, 'dtype', type(b))}"
