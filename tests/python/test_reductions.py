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


@st.composite
def masks(draw, shape):
    """As wide as a shape: with fewer axes, axes of one element, and in memory in any order."""
    few = tuple(n if draw(st.booleans()) else 1 for n in shape)[draw(st.integers(0, len(shape))) :]
    order = draw(st.permutations(range(len(few))))
    generator = np.random.default_rng(draw(st.integers(0, 99)))
    mask = generator.random([2 * few[a] for a in order]) < draw(st.sampled_from([0.1, 0.6, 0.95]))
    mask = mask[(*(slice(None, None, draw(st.sampled_from([2, -2]))) for _ in few), ...)]
    return mask.transpose(np.argsort(order) if few else [])


@given(arrays(smallest_axes=1), st.data())
def test_where(x, data):
    axis, keepdims, where = data.draw(axes_of(x)), data.draw(st.booleans()), data.draw(masks(x.shape))
    plain = native(x)
    assert_same(fl.sum(x, axis=axis, where=where, keepdims=keepdims), oracle.along(oracle.sum_of, plain, axis, keepdims, where))
    assert_same(fl.mean(x, axis=axis, where=where), oracle.along(oracle.mean_of, plain, axis, where=where))
    assert_same(fl.var(x, axis=axis, where=where, ddof=1), oracle.along(lambda v: oracle.var_of(v, 1), plain, axis, where=where))
    assert_same(fl.std(x, axis=axis, where=where), oracle.along(oracle.std_of, plain, axis, where=where))


@given(arrays(smallest_axes=1, smallest_extent=1, specials=False), st.data())
def test_extrema_where(x, data):
    axis, where = data.draw(axes_of(x)), data.draw(masks(x.shape))
    plain = native(x) + native(x).dtype.type(0)  # no -0, which NumPy does not order
    if np.all(np.any(np.broadcast_to(where, x.shape), axis=axis)):
        assert_same(fl.min(plain, axis=axis, where=where), oracle.along(np.min, plain, axis, where=where))
        assert np.array_equal(fl.max(x, axis=axis, where=where), oracle.along(np.max, plain, axis, where=where))
    else:
        for function in (fl.min, fl.max):
            with pytest.raises(ValueError, match="none of a result's elements"):
                function(x, axis=axis, where=where)


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


@given(arrays(), st.data())
def test_initial(x, data):
    axis, where = data.draw(axes_of(x)), data.draw(st.one_of(st.just(True), masks(x.shape)))
    plain = native(x)
    # A number that each type has; of a byte at most.
    initial = data.draw(st.integers(0, 1 if x.dtype == bool else 99))
    if oracle.is_floating(x.dtype):
        initial /= -8

    def sum_from(v):
        return oracle.sum_of(np.append(v, np.array(initial, v.dtype)))

    assert_same(fl.sum(x, axis=axis, where=where, initial=initial), oracle.along(sum_from, plain, axis, where=where))
    if not np.any(np.isnan(plain.astype("f8"))):
        plain = plain + plain.dtype.type(0)  # no -0, which NumPy does not order
        for of_numpy, function in ((np.min, fl.min), (np.max, fl.max)):
            expected = oracle.along(lambda v: of_numpy(np.append(v, np.array(initial, v.dtype))), plain, axis, where=where)
            assert np.array_equal(function(x, axis=axis, where=where, initial=initial), expected)


def test_initial_is_one_more_number():
    assert fl.sum([1e16, -1e16], initial=0.1) == 0.1
    assert fl.sum(np.float32([1, 2**-24]), initial=2.0**-60) == np.float32(1 + 2**-23)  # rounded once: not a tie
    assert fl.sum([[0.25], [1]], axis=1, initial=1e16).tolist() == [1e16, 1e16]
    assert_same(fl.sum([1, 2], initial=3), np.int64(6))
    assert_same(fl.sum([1, 2], initial=0.5, dtype="f8"), np.float64(3.5))
    assert_same(fl.nansum([1.0, np.nan], initial=np.int8(3)), np.float64(4))
    assert_same(fl.max(np.float32([]), initial=0.1), np.float32(0.1))
    assert_same(fl.min(np.zeros((2, 0), "i2"), axis=1, initial=7), np.int16([7, 7]))
    assert np.isnan(fl.max([1.0, 2.0], initial=np.nan))
    assert_same(fl.max(np.float16([1]), initial=2**60, dtype="f4"), np.float32(2**60))  # beyond the elements' type
    assert_same(fl.min(np.float32([1]), initial=0.1, dtype="f8"), np.float64(0.1))
    assert_same(fl.max([1.0], initial=2**53 + 1, dtype="i8"), np.int64(2**53 + 1))
    assert_same(fl.max(np.float32([1]), initial=0.1), np.float32(1))
    for swapped in (np.array(2.0, ">f8"), np.array([3], ">i4"), np.array(3, "<i8"), np.array(2.0, "<f4")):  # of either order
        number = swapped.item()
        assert (fl.sum([1.0], initial=swapped), fl.nansum([np.nan], initial=swapped)) == (1 + number, number)
        assert (fl.max([1.0], initial=swapped), fl.min([8.0], initial=swapped)) == (number, number)
    out = np.zeros(2)
    assert fl.max(np.arange(6).reshape(2, 3), axis=1, out=out, initial=4) is out and out.tolist() == [4, 5]
    for error, call in ((ValueError, lambda: fl.sum([1.0], initial=[1, 2])), (ValueError, lambda: fl.sum([1], initial=0.5)),
                        (TypeError, lambda: fl.sum([1.0], initial="1")), (TypeError, lambda: fl.max([1], initial=0.5)),
                        (OverflowError, lambda: fl.max(np.int8([1]), initial=300)), (OverflowError, lambda: fl.min(np.uint8([1]), initial=-1)),
                        (TypeError, lambda: fl.mean([1.0], initial=1))):
        with pytest.raises(error):
            call()


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


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", ">f8"])
def test_where_of_large_arrays(dtype):
    generator = np.random.default_rng(5)
    x = (generator.standard_normal((700, 9, 300)) * 2.0 ** generator.integers(0, 20, (700, 9, 300))).astype(dtype)
    where = generator.random(x.shape) < 0.5
    where[:, 0] = True
    holes = x.astype("f8")
    holes[~where] = np.nan
    means = fl.mean(x, axis=0)
    means[~where[0]] = np.nan
    for threads in (1, 3):
        fl.set_num_threads(threads)
        for axis in (0, 1, 2, (0, 1), (0, 2), None):
            # Where nothing is taken there is 0 instead, which changes no sum of these.
            zeros = np.where(where, x, np.array(0, dtype))
            assert_same(fl.sum(x, axis=axis, where=where), fl.sum(zeros, axis=axis))
            assert_same(fl.sum(x.T, where=where.T), fl.sum(zeros))
            assert_same(fl.nansum(holes, axis=axis), fl.sum(zeros, axis=axis, dtype="f8"))
            assert_same(fl.nansum(holes[::-1, :, ::-2], axis=axis, where=where[::-1, :, 1:2]),
                        fl.sum(x[::-1, :, ::-2], axis=axis, where=where[::-1, :, ::-2] & where[::-1, :, 1:2], dtype="f8"))
            assert_same(fl.max(x, axis=axis, where=where), fl.max(np.where(where, x, np.min(x)), axis=axis))
        assert_same(fl.mean(x, axis=0, where=where[0]), means)
    fl.set_num_threads(0)
    assert math.fsum(x[where].tolist()) == fl.sum(x, where=where, dtype="f8")


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
