"""Dot products, weighted means, matrix products."""
from fractions import Fraction

import numpy as np
import oracle
import pytest
from arrays import arrays, axes_of, elements
from hypothesis import given
from hypothesis import strategies as st
from oracle import FLOATS, INTEGERS, assert_same
from test_reductions import native

import foldline as fl


def promoted(x, y):
    """NumPy's promotion if one is floating-point; sums of integers otherwise."""
    if x.dtype == oracle.BFLOAT16 != y.dtype or y.dtype == oracle.BFLOAT16 != x.dtype:  # NumPy refuses most of these
        other = y.dtype if x.dtype == oracle.BFLOAT16 else x.dtype
        if other.itemsize == 1:
            return oracle.BFLOAT16
        return np.dtype("float32" if other.itemsize == 2 or other == np.float32 else "float64")
    if oracle.is_floating(x.dtype) or oracle.is_floating(y.dtype):
        return np.promote_types(x.dtype, y.dtype)
    return np.dtype("uint64" if x.dtype.kind == y.dtype.kind == "u" else "int64")


def partner(x, dtype, seed, specials=False):
    return elements(dtype, x.size, seed, specials).reshape(x.shape)


@given(arrays(smallest_axes=1, specials=False), st.sampled_from([*FLOATS, *INTEGERS]), st.integers(0, 2**32 - 1), st.data())
def test_vecdot(x, dtype, seed, data):
    x_type = native(x).dtype
    if 8 in (x_type.itemsize, dtype.itemsize) and not oracle.is_floating(x_type) and not oracle.is_floating(dtype):
        dtype = np.dtype("int8")  # so that sums fit
    y = partner(x, dtype, seed)
    axis = data.draw(st.integers(-x.ndim, -1))
    result_type = promoted(native(x), y)
    plain, other = np.moveaxis(native(x), axis, -1), np.moveaxis(y, axis, -1)
    try:
        expected = np.array([oracle.dot_of(plain[i], other[i], result_type) for i in np.ndindex(plain.shape[:-1])], result_type)
    except OverflowError:
        with pytest.raises(OverflowError, match="dot"):
            fl.vecdot(x, y, axis=axis)
        return
    assert_same(fl.vecdot(x, y, axis=axis), expected.reshape(plain.shape[:-1])[()])


def test_vecdot_broadcasts():
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(4.0)
    assert_same(fl.vecdot(x, y), (x * y).sum(-1))
    assert_same(fl.vecdot(x[:, :1], x), (x[:, :1] * x).sum(-1))
    with pytest.raises(ValueError, match="4 .* 3 elements"):
        fl.vecdot(x, np.ones(3))
    with pytest.raises(ValueError, match="broadcast"):
        fl.vecdot(x, np.ones((2, 4)))
    with pytest.raises(np.exceptions.AxisError):
        fl.vecdot(x, y, axis=-2)


@given(arrays(smallest_axes=1, specials=False), st.sampled_from([*FLOATS, *INTEGERS]), st.integers(0, 2**32 - 1), st.data())
def test_average(x, dtype, seed, data):
    weights = np.abs(partner(x, dtype, seed).astype(np.float64)).astype(dtype)
    axis = data.draw(axes_of(x))
    result_type = oracle.mean_type(promoted(native(x), weights))

    def weighted(pairs):
        values, factors = oracle.fractions(pairs["x"]), oracle.fractions(pairs["w"])
        if sum(factors, Fraction(0)) == 0:
            return np.array(np.nan).astype(result_type)[()]
        return oracle.rounded(sum(v * w for v, w in zip(values, factors)) / sum(factors), result_type)

    pairs = np.zeros(x.shape, [("x", native(x).dtype), ("w", dtype)])
    pairs["x"], pairs["w"] = native(x), weights
    assert_same(fl.average(x, axis=axis, weights=weights), oracle.along(weighted, pairs, axis))


def test_average_with_a_vector_of_weights():
    x = np.arange(12.0).reshape(3, 4)
    assert_same(fl.average(x, axis=0, weights=[1, 2, 1]), np.average(x, axis=0, weights=[1, 2, 1]))
    assert_same(fl.average(x, axis=1, keepdims=True), x.mean(axis=1, keepdims=True))
    assert np.isnan(fl.average([1, 2], weights=[1, -1]))
    with pytest.raises(ValueError, match="2 weights"):
        fl.average(x, axis=0, weights=[1, 2])
    with pytest.raises(TypeError, match="weights of shape"):
        fl.average(x, weights=[1, 2])


SHAPES = [((4,), (4,)), ((4,), (4, 3)), ((2, 4), (4,)), ((2, 4), (4, 3)), ((5, 2, 4), (4, 3)), ((5, 1, 2, 4), (3, 4, 2)),
          ((2, 0), (0, 3)), ((0, 4), (4, 3)), ((4,), (2, 4, 3)), ((2, 3, 4), (4,))]


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("types", [("f4", "f4"), ("f8", "f8"), ("f2", "f2"), ("i4", "i4"), ("f4", "f8"), (">f8", "f8"), ("u1", "i8")])
def test_matmul(shapes, types):
    generator = np.random.default_rng(5)
    a, b = (generator.integers(-9, 9, s).astype(t) if np.dtype(t).kind == "i" else (generator.random(s) * 9).astype(t)
            for s, t in zip(shapes, types))
    result = fl.matmul(a, b)
    expected = np.matmul(a.astype(object), b.astype(object)) if a.size and b.size else np.matmul(a, b)
    assert result.shape == np.shape(expected)
    assert result.dtype == promoted(native(a), native(b))
    # Exact products of every entry.
    left, right = (a[None, :] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left, right = np.broadcast_to(left, stack + left.shape[-2:]), np.broadcast_to(right, stack + right.shape[-2:])
    entries = [oracle.dot_of(native(left)[(*s, i)], native(right)[(*s, slice(None), j)], result.dtype)
               for s in np.ndindex(stack) for i in range(left.shape[-2]) for j in range(right.shape[-1])]
    assert_same(np.asarray(result).ravel(), np.array(entries, result.dtype))


def test_matmul_refuses():
    with pytest.raises(ValueError, match="3 columns, 2 rows"):
        fl.matmul(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="numbers are no matrices"):
        fl.matmul(3, np.ones(3))
    with pytest.raises(ValueError, match="vectors and matrices only"):
        fl.dot(np.ones((2, 2, 2)), np.ones(2))
    assert fl.dot([1.0, 2.0], [3, 4]) == 11
