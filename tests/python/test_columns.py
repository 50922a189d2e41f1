"""Columns of pandas, Polars and Arrow."""
import numpy as np
import pytest
from oracle import assert_same

import foldline as fl

LARGE = 2**53 + 1  # which no double holds


def columns(library, values):
    """A column in all of the library's ways to have one."""
    module = pytest.importorskip(library)
    if library == "polars":
        return [module.Series(values), module.concat([module.Series(values[:2]), module.Series(values[2:])], rechunk=False)]
    if library == "pyarrow":
        return [module.array(values), module.array([*values, 7]).slice(0, len(values)), module.chunked_array([values[:2], values[2:]])]
    name = "Float64" if any(isinstance(v, float) for v in values) else "Int64"
    return [module.Series(values, dtype=name)]


LIBRARIES = pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])


@LIBRARIES
def test_values(library):
    for column in columns(library, [1e16, 1.0, -1e16, 0.5]):
        assert_same(fl.sum(column), np.float64(1.5))
        assert_same(fl.cumsum(column), np.array([1e16, 1e16, 1.0, 1.5]))
        assert_same(fl.vecdot(column, [1, 1, 1, 2]), np.float64(2.0))
        a = fl.Accumulator()
        a.add(column)
        assert a.result() == 1.5
    for column in columns(library, [LARGE, 1, 2]):
        assert_same(fl.sum(column), np.int64(LARGE + 3))
        assert_same(fl.group_sum([0, 1, 0], column), np.array([LARGE + 2, 1]))
        assert_same(fl.max(column, where=[False, True, True]), np.int64(2))


@LIBRARIES
def test_missing_values(library):
    for column in columns(library, [LARGE, None, 2]):
        assert_same(fl.nansum(column), np.int64(LARGE + 2))  # never by doubles
        assert_same(fl.nanmean(column), np.float64((LARGE + 2) / 2))
        assert_same(fl.nansum(column, where=np.array([False, True, True])), np.int64(2))
        for function in (fl.sum, fl.mean, fl.max, fl.cumsum, fl.fsum, fl.vector_norm, fl.Accumulator().add, lambda c: fl.vecdot(c, [1, 2, 3]),
                         lambda c: fl.group_sum([0, 1, 0], c), lambda c: fl.sum(c, where=[True, False, True])):
            with pytest.raises((ValueError, TypeError)):
                function(column)
        with pytest.raises(ValueError, match="values are missing; nansum"):
            fl.sum(column)
    for column in columns(library, [0.5, None, 0.25]):
        assert_same(fl.nansum(column), np.float64(0.75))
        assert_same(fl.nanstd(column, ddof=1), fl.std([0.5, 0.25], ddof=1))


@LIBRARIES
def test_bool_and_text(library):
    module = pytest.importorskip(library)
    of = module.array if library == "pyarrow" else module.Series
    assert_same(fl.sum(of([True, False, True])), np.int64(2))
    assert_same(fl.sum(np.arange(3.0), where=of([True, False, True])), np.float64(2))
    options = {"dtype": "boolean"} if library == "pandas" else {}
    missing = of([True, None, True], **options)
    assert_same(fl.nansum(missing), np.int64(2))
    assert_same(fl.nansum(missing, where=[True, True, False]), np.int64(1))
    for call in (lambda: fl.sum(missing), lambda: fl.sum(np.arange(3.0), where=missing)):
        with pytest.raises(ValueError, match="missing"):
            call()
    for text in (["a", "b"], ["1", "2"]):
        with pytest.raises(TypeError, match="no exact sums"):
            fl.sum(of(text))


def test_columns_of_numpy_are_read_in_place():
    pandas = pytest.importorskip("pandas")
    x = np.array([0.5, 1.5, np.nan])
    series = pandas.Series(x, copy=False)
    assert np.isnan(fl.sum(series)) and fl.nansum(series) == 2  # its NaN is a value
    assert fl.sum(series, where=series.notna()) == 2
    assert fl.sum(pandas.Index([1, 2])) == 3


@LIBRARIES
def test_tables(library):
    module = pytest.importorskip(library)
    of = module.table if library == "pyarrow" else module.DataFrame
    assert_same(np.asarray(fl.sum(of({"a": [1.0, 2.0], "b": [3.0, 4.5]}))), np.array(10.5))
    with pytest.raises(TypeError, match="several types"):
        fl.sum(of({"a": [LARGE, 2], "b": [3.0, 4.5]}))
    if library != "pandas":  # whose frames have NaN
        with pytest.raises(ValueError, match="missing"):
            fl.sum(of({"a": [LARGE, None], "b": [3, 4]}))
