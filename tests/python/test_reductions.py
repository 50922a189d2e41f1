"""sum, mean, var, std, min, max, vector_norm and those that leave NaN out: values, types, shapes."""
import math

import numpy as np
import oracle
import pytest
from arrays import arrays, axes_of
from hypothesis import given
from hypothesis import strategies as st
from oracle import assert_same

import foldline as fl


def native(x):
    return x.astype(x.dtype.newbyteorder("=")) if x.dtype.byteorder == ">" else x


@given(arrays(), st.data())
def test_sum(x, data):
    axis, keepdims = data.draw(axes_of(x)), data.draw(st.booleans())
    assert_same(fl.sum(x, axis=axis, keepdims=keepdims), oracle.along(oracle.sum_of, native(x), axis, keepdims))


@given(arrays(smallest_axes=1), st.data())
def test_sum_where(x, data):
    axis = data.draw(axes_of(x))
    shape = tuple(n if data.draw(st.booleans()) else 1 for n in x.shape)[data.draw(st.integers(0, x.ndim)) :]
    where = np.random.default_rng(len(shape)).random(shape) < 0.6
    assert_same(fl.sum(x, axis=axis, where=where), oracle.along(oracle.sum_of, native(x), axis, where=where))


@given(arrays(), st.data())
def test_mean_and_deviations(x, data):
    axis, ddof = data.draw(axes_of(x)), data.draw(st.integers(0, 2))
    plain = native(x)
    assert_same(fl.mean(x, axis=axis), oracle.along(oracle.mean_of, plain, axis))
    assert_same(fl.var(x, axis=axis, ddof=ddof), oracle.along(lambda v: oracle.var_of(v, ddof), plain, axis))
    assert_same(fl.std(x, axis=axis, correction=ddof), oracle.along(lambda v: oracle.std_of(v, ddof), plain, axis))


@given(arrays(), st.data())
def test_norms(x, data):
    axis = data.draw(axes_of(x))
    plain = native(x)
    assert_same(fl.vector_norm(x, axis=axis), oracle.along(oracle.norm_of, plain, axis))
    magnitudes = oracle.along(lambda v: oracle.sum_of(np.array([abs(e) for e in v], v.dtype)
                                                      if oracle.is_floating(v.dtype) else v, v.dtype)
                              if oracle.is_floating(v.dtype)
                              else oracle.rounded(sum((abs(e) for e in oracle.fractions(v)), oracle.Fraction(0)), "float64"),
                              plain, axis)
    assert_same(fl.vector_norm(x, axis=axis, ord=1), magnitudes)


@given(arrays(smallest_axes=1, smallest_extent=1, specials=False), st.data())
def test_extrema(x, data):
    axis, keepdims = data.draw(axes_of(x)), data.draw(st.booleans())
    plain = native(x) + native(x).dtype.type(0)  # no -0, which NumPy does not order
    assert_same(fl.min(plain, axis=axis, keepdims=keepdims), np.min(plain, axis=axis, keepdims=keepdims))
    assert np.array_equal(fl.max(x, axis=axis), np.max(plain, axis=axis))


@given(arrays(dtypes=oracle.FLOATS), st.data())
def test_without_nan(x, data):
    axis = data.draw(axes_of(x))
    plain = native(x)
    where = ~np.isnan(plain)
    assert_same(fl.nansum(x, axis=axis), oracle.along(oracle.sum_of, plain, axis, where=where))
    assert_same(fl.nanmean(x, axis=axis), oracle.along(oracle.mean_of, plain, axis, where=where))
    assert_same(fl.nanvar(x, axis=axis, ddof=1), oracle.along(lambda v: oracle.var_of(v, 1), plain, axis, where=where))
    assert_same(fl.nanstd(x, axis=axis), oracle.along(oracle.std_of, plain, axis, where=where))


@given(arrays(), st.sampled_from(oracle.FLOATS), st.data())
def test_dtype_is_the_one_rounding(x, dtype, data):
    axis = data.draw(axes_of(x))
    assert_same(fl.sum(x, axis=axis, dtype=dtype), oracle.along(lambda v: oracle.sum_of(v, dtype), native(x), axis))
    assert_same(fl.mean(x, axis=axis, dtype=dtype), oracle.along(lambda v: oracle.mean_of(v, dtype), native(x), axis))


@given(arrays(smallest_axes=1), st.data())
def test_out(x, data):
    axis = data.draw(axes_of(x))
    expected = oracle.along(oracle.sum_of, native(x), axis)
    out = np.zeros((*expected.shape, 2), expected.dtype)[..., 1]
    assert fl.sum(x, axis=axis, out=out) is out
    assert_same(out, expected)


def test_large_arrays_are_shared_by_threads():
    x = np.random.default_rng(1).standard_normal(3_000_000) * 2.0 ** np.random.default_rng(2).integers(-300, 300, 3_000_000)
    expected = math.fsum(x)
    where = np.ones(len(x), bool)
    for threads in (1, 2, 5):
        fl.set_num_threads(threads)
        assert fl.sum(x) == fl.sum(x[::-1]) == fl.sum(x.reshape(3, 1000, 1000).transpose(2, 0, 1)) == expected
        assert fl.sum(x, where=where) == fl.nansum(x) == fl.sum(x.astype(">f8")) == expected
        assert fl.sum(x.reshape(-1, 1000)[:, :999]) == math.fsum(x.reshape(-1, 1000)[:, :999].ravel())
        y = x.reshape(100, 30, 1000)
        assert_same(fl.sum(y[:, ::2], axis=(0, 1)), np.array([math.fsum(y[:, ::2, i].ravel()) for i in range(1000)]))
        assert_same(fl.sum(y, axis=(0, 2)), np.array([math.fsum(y[:, i].ravel()) for i in range(30)]))
    fl.set_num_threads(0)


def test_out_may_be_part_of_the_input():
    x = np.arange(12.0).reshape(3, 4)
    expected = x.sum(axis=0)
    fl.sum(x, axis=0, out=x[1])
    assert np.array_equal(x[1], expected)


def test_out_of_another_type_is_rounded_once():
    out = np.zeros((), np.float32)
    fl.sum(np.array([1 + 2**-24, 2**-60]), out=out)
    assert out == np.float32(1 + 2**-23)
    with pytest.raises(TypeError, match="same_kind"):
        fl.sum(np.ones(3), out=np.zeros((), np.int64))


def test_integers():
    assert_same(fl.sum(np.full(3, 200, np.uint8)), np.uint64(600))
    assert_same(fl.sum(np.array([True, True])), np.int64(2))
    with pytest.raises(OverflowError, match="int64"):
        fl.sum(np.full(2, 2**63 - 1))
    assert fl.sum(np.full(2, 2**63 - 1), dtype=np.float64) == 2.0**64
    assert_same(fl.sum(np.full(3, 50, np.int8), dtype=np.int16), np.int16(150))
    with pytest.raises(TypeError, match="floating-point"):
        fl.mean(np.ones(3), dtype=int)


def test_nothing():
    assert_same(fl.sum([]), np.float64(0))
    assert np.isnan(fl.mean([]))
    assert fl.vector_norm([]) == 0
    with pytest.raises(ValueError, match="no elements"):
        fl.min([])
    assert fl.max(np.ones((0, 0)), axis=0).shape == (0,)
    assert_same(fl.sum(np.ones((2, 0, 3)), axis=1), np.zeros((2, 3)))
    assert_same(fl.sum(np.ones((2, 0)), axis=0), np.zeros(0))
    gaps = np.ones((3, 6, 20, 4))
    for x in (gaps[:0, ::2], gaps[::2, :0], gaps[:0, :0], gaps[:, ::2, :0]):
        for axis in ((0, 1), (0, 2), (1, 2), (0, 1, 2)):
            assert_same(fl.sum(x, axis=axis), x.sum(axis=axis))
