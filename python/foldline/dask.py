"""Exact sums of dask arrays: the same bits for any chunks, workers and schedule.

>>> import dask.array as da
>>> from foldline import dask as fd
>>> fd.sum(da.from_array([1e16, 1.0, -1e16], chunks=1)).compute()
np.float64(1.0)

Each function gives a dask array, of no chunk computed yet. Chunks become accumulators, a few kilobytes for each result, which dask's own
reductions merge; rounding comes last. Over all axes that is fast. Along some of them each result needs an accumulator of its own, so it suits
long axes and few results.
"""
from __future__ import annotations

import functools
from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import DTypeLike

import foldline as fl

__all__ = ["max", "mean", "min", "std", "sum", "var", "vector_norm"]


def _axes(axis: int | tuple[int, ...], dimensions: int) -> tuple[int, ...]:
    return tuple(a % dimensions for a in (axis if isinstance(axis, tuple) else (axis,)))


def _chunk(x: Any, axis: Any, keepdims: bool, operation: str, computing_meta: bool = False) -> Any:
    """An array of accumulators: of one for each element that is left when the axes are reduced."""
    if computing_meta:  # dask looks at the type of what it gets for no elements
        return x
    axes = _axes(axis, x.ndim)
    kept = [a for a in range(x.ndim) if a not in axes]
    rows = np.moveaxis(x, kept, range(len(kept)))
    sums = np.empty(rows.shape[: len(kept)], object)
    for index in np.ndindex(sums.shape):
        one = fl.Accumulator(operation)
        one.add(rows[index])
        sums[index] = one
    return np.expand_dims(sums, axes) if keepdims else sums


def _merged(sums: Any, axis: Any) -> Any:
    """Along the axes, which stay, with one accumulator each."""
    for a in _axes(axis, sums.ndim):
        sums = np.frompyfunc(lambda x, y: x | y, 2, 1).reduce(sums, axis=a, keepdims=True)
    return sums


def _combine(sums: Any, axis: Any, keepdims: bool) -> Any:
    return _merged(sums, axis)


def _aggregate(sums: Any, axis: Any, keepdims: bool, dtype: Any, correction: float | None) -> Any:
    options = {} if correction is None else {"correction": correction}
    total = _merged(sums, axis)
    results = np.empty(total.shape, dtype)
    for index in np.ndindex(total.shape):
        results[index] = total[index].result(dtype=dtype, **options)
    results = results if keepdims else results.squeeze(_axes(axis, total.ndim))
    return results[()] if results.ndim == 0 else results


def _reduction(operation: str, x: Any, axis: Any, keepdims: bool, dtype: DTypeLike | None, split_every: int | None,
               correction: float | None = None) -> Any:
    x = da.asanyarray(x)  # type: ignore[no-untyped-call]
    if dtype is None:
        dtype = np.asarray(getattr(fl, operation)(np.ones(2, x.dtype))).dtype
    axes = tuple(range(x.ndim)) if axis is None else axis
    kept = x.ndim if keepdims else x.ndim - len(_axes(axes, x.ndim))
    return da.reduction(  # type: ignore[no-untyped-call]
        x, functools.partial(_chunk, operation=operation), functools.partial(_aggregate, dtype=np.dtype(dtype), correction=correction),
        axis=axes, keepdims=keepdims, dtype=np.dtype(dtype), combine=_combine, split_every=split_every, meta=np.empty((0,) * kept, dtype))


def sum(x: Any, axis: int | tuple[int, ...] | None = None, dtype: DTypeLike | None = None, keepdims: bool = False, *,
        split_every: int | None = None) -> Any:
    """The sum, rounded once to ``dtype``; of integers, a 64-bit one."""
    return _reduction("sum", x, axis, keepdims, dtype, split_every)


def mean(x: Any, axis: int | tuple[int, ...] | None = None, dtype: DTypeLike | None = None, keepdims: bool = False, *,
         split_every: int | None = None) -> Any:
    """The mean, rounded once to ``dtype``."""
    return _reduction("mean", x, axis, keepdims, dtype, split_every)


def var(x: Any, axis: int | tuple[int, ...] | None = None, dtype: DTypeLike | None = None, keepdims: bool = False, *,
        correction: float = 0, split_every: int | None = None) -> Any:
    """The variance, with the divisor n - correction."""
    return _reduction("var", x, axis, keepdims, dtype, split_every, correction)


def std(x: Any, axis: int | tuple[int, ...] | None = None, dtype: DTypeLike | None = None, keepdims: bool = False, *,
        correction: float = 0, split_every: int | None = None) -> Any:
    """The standard deviation, with the divisor n - correction."""
    return _reduction("std", x, axis, keepdims, dtype, split_every, correction)


def vector_norm(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, *, dtype: DTypeLike | None = None,
                split_every: int | None = None) -> Any:
    """The Euclidean norm along the axes."""
    return _reduction("vector_norm", x, axis, keepdims, dtype, split_every)


def min(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, *, split_every: int | None = None) -> Any:
    """The smallest element."""
    return _reduction("min", x, axis, keepdims, None, split_every)


def max(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, *, split_every: int | None = None) -> Any:
    """The largest element."""
    return _reduction("max", x, axis, keepdims, None, split_every)
