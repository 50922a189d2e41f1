"""foldline.dask: exact for any chunks. Skipped where there is no dask."""
import pathlib
import runpy
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


@pytest.mark.parametrize("chunks", [1000, 1, 7, 499])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.uint64, bool])
def test_prefix_sums(dtype, chunks):
    x = np.asarray(wide(500) if np.issubdtype(dtype, np.floating) else np.random.default_rng(3).integers(0, 2**31, 500), dtype)
    lazy = fd.cumulative_sum(da.from_array(x, chunks=chunks))
    result, expected = lazy.compute(), fl.cumulative_sum(x)
    assert lazy.dtype == result.dtype == expected.dtype and result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_prefix_sums_along_an_axis(axis):
    x = wide((12, 9, 4), np.float32)
    result = fd.cumulative_sum(da.from_array(x, chunks=(5, 2, 4)), axis=axis, dtype=np.float64).compute()
    assert result.tobytes() == np.ascontiguousarray(fl.cumulative_sum(x, axis=axis, dtype=np.float64)).tobytes()


def test_prefix_sums_of_special_values():
    most = np.finfo(float).max
    for values in ([-0.0, -0.0, -0.0], [1.0, np.inf, 2.0, -np.inf, 3.0], [np.nan, 1.0], [most, most, -most, -most, 5e-324], [1e16, 1.0, -1e16, 1e-300]):
        x = np.array(values)
        expected = fl.cumulative_sum(x)
        for chunks in (1, 2):
            assert fd.cumulative_sum(da.from_array(x, chunks=chunks)).compute().tobytes() == expected.tobytes(), values


def test_prefix_sums_say_what_is_wrong():
    with pytest.raises(ValueError, match="has 2 axes"):
        fd.cumulative_sum(da.ones((3, 4)))
    with pytest.raises(ValueError, match="no axis 2"):
        fd.cumulative_sum(da.ones((3, 4)), axis=2)
    with pytest.raises(OverflowError):
        fd.cumulative_sum(da.from_array(np.full(4, 2**62), chunks=1)).compute()


def test_columns_of_a_dataframe():
    pandas = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    data = pandas.DataFrame({"x": wide(1000), "n": np.arange(1000), "f": wide(1000, np.float32)})
    for parts in (1, 3, 7):
        df = dd.from_pandas(data, npartitions=parts)
        for name in ("sum", "mean", "var", "vector_norm", "max"):
            for column in data.columns:
                expected = getattr(fl, name)(data[column].to_numpy())
                assert np.asarray(getattr(fd, name)(df[column]).compute()).tobytes() == np.asarray(expected).tobytes()
        assert fd.sum(df[["x", "n"]], axis=0).compute().tobytes() == fl.sum(data[["x", "n"]].to_numpy(), axis=0).tobytes()
        assert fd.cumulative_sum(df["x"]).compute().tobytes() == fl.cumulative_sum(data["x"].to_numpy()).tobytes()


def test_the_example(capsys):
    runpy.run_path(str(pathlib.Path(__file__).resolve().parents[2] / "examples/python/dask_sums.py"))
    assert capsys.readouterr().out.startswith("5 chunkings: 1 exact sum")
