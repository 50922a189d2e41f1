"""Prefix sums."""
import math
from fractions import Fraction

import numpy as np
import oracle
import pytest
from arrays import arrays
from hypothesis import given
from hypothesis import strategies as st
from oracle import assert_same
from test_reductions import native

import foldline as fl


def sums_of_prefixes(x, dtype, begins_with_zero):
    """As oracle.sum_of of each prefix, in one pass."""
    zero, total, infinities, odd = (-0.0 if x.size else 0.0), Fraction(0), set(), None
    sums = [oracle.rounded(total, dtype)] if begins_with_zero else []
    for element in x:
        value = float(element) if oracle.is_floating(x.dtype) else int(element)
        if math.isfinite(value):
            total += Fraction(value)
            if not (value == 0 and math.copysign(1, value) < 0):
                zero = 0.0
        elif math.isnan(value) or -value in infinities:
            odd = math.nan
        else:
            infinities.add(value)
            odd = odd if odd is not None else value
        sums.append(oracle.rounded(total, dtype, zero) if odd is None else np.array(odd).astype(dtype)[()])
    return sums


def scanned(x, axis, dtype=None, begins_with_zero=False):
    moved = np.moveaxis(x, axis, -1)
    dtype = np.dtype(dtype) if dtype is not None else oracle.sum_type(x.dtype)
    rows = [sums_of_prefixes(moved[i], dtype, begins_with_zero) for i in np.ndindex(moved.shape[:-1])]
    length = moved.shape[-1] + (1 if begins_with_zero else 0)
    return np.moveaxis(np.array(rows, dtype).reshape((*moved.shape[:-1], length)), -1, axis)


def dense(x):
    return np.ascontiguousarray(x)


@given(arrays(smallest_axes=1), st.booleans(), st.data())
def test_cumulative_sum(x, begins_with_zero, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    expected = scanned(native(x), axis, begins_with_zero=begins_with_zero)
    assert_same(dense(fl.cumulative_sum(x, axis=axis, include_initial=begins_with_zero)), dense(expected))


@given(arrays())
def test_cumsum_of_all(x):
    assert_same(fl.cumsum(x), scanned(native(x).ravel(), 0))


@given(arrays(smallest_axes=1), st.sampled_from(oracle.FLOATS))
def test_cumsum_dtype_and_out(x, dtype):
    expected = scanned(native(x), 0, dtype)
    out = np.zeros((*expected.shape, 2), dtype)[..., 0]
    assert fl.cumsum(x, axis=0, out=out) is out
    assert_same(dense(out), dense(expected))
    assert_same(dense(fl.cumsum(x, axis=0, dtype=dtype)), dense(expected))


def test_in_place():
    x = np.arange(6.0)
    fl.cumsum(x, out=x)
    assert_same(x, np.array([0.0, 1, 3, 6, 10, 15]))


def test_misuse():
    with pytest.raises(ValueError, match="axis= has to be given"):
        fl.cumulative_sum(np.ones((2, 2)))
    with pytest.raises(np.exceptions.AxisError):
        fl.cumsum(np.ones(2), axis=1)
    with pytest.raises(TypeError, match="would not be exact"):
        fl.cumsum(np.ones(2), dtype=int)
    with pytest.raises(OverflowError):
        fl.cumsum(np.full(3, 2**62))
