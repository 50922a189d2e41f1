"""foldline.dask: exact for any chunks. Skipped where there is no dask."""
from fractions import Fraction

import numpy as np
import pytest

import foldline as fl

da = pytest.importorskip("dask.array")
fd = pytest.importorskip("foldline.dask")

CHUNKS = [(80, 30), (7, 11), (40, 1), (1, 30), (79, 29)]


def wide(shape, dtype=np.float64):
    rng = np.random.default_rng(7)
    return (rng.standard_normal(shape) * 10.0 ** rng.integers(-15, 15, shape)).astype(dtype)


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "vector_norm", "min", "max"])
def test_all_chunks_give_the_same(name, dtype, chunks):
    x = np.asarray(wide((80, 30)) if dtype != np.int32 else np.random.default_rng(3).integers(-(2**31), 2**31, (80, 30)), dtype)
    result = getattr(fd, name)(da.from_array(x, chunks=chunks)).compute()
    expected = getattr(fl, name)(x)
    assert np.asarray(result).dtype == np.asarray(expected).dtype
    assert np.asarray(result).tobytes() == np.asarray(expected).tobytes()


def test_sum_is_the_exact_one():
    x = wide(500)
    assert fd.sum(da.from_array(x, chunks=13)).compute() == float(sum(map(Fraction, x.tolist())))


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 1), (0, 2), None])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(axis, keepdims):
    x = wide((9, 8, 5))
    lazy = fd.var(da.from_array(x, chunks=(4, 3, 2)), axis=axis, keepdims=keepdims, correction=1)
    result = lazy.compute()
    expected = fl.var(x, axis=axis, keepdims=keepdims, correction=1)
    assert lazy.shape == np.shape(expected) and lazy.dtype == expected.dtype
    assert np.asarray(result).tobytes() == np.asarray(expected).tobytes()


def test_tree_of_any_width():
    x = wide(1000)
    results = {fd.sum(da.from_array(x, chunks=3), split_every=n).compute() for n in (2, 3, 50)}
    assert results == {fl.sum(x)}
