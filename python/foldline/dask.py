"""Exact sums of dask arrays and of dataframes' columns: the same bits for any chunks, workers and schedule.

>>> import dask.array as da
>>> from foldline import dask as fd
>>> fd.sum(da.from_array([1e16, 1.0, -1e16], chunks=1)).compute()
np.float64(1.0)

Each function takes an array, a column of a dask dataframe (``df["x"]``) or several (``df[["x", "y"]]``, along axis 0), and gives a dask array, of no
chunk computed yet. Chunks become accumulators, a few kilobytes for each result, which dask's own
reductions merge; rounding comes last. Over all axes that is fast. Along some of them each result needs an accumulator of its own, so it suits
long axes and few results.
"""
from __future__ import annotations

import functools
import itertools
import operator
import sys
from fractions import Fraction
from typing import Any

import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph
from numpy.typing import DTypeLike

import foldline as fl

__all__ = ["cumulative_sum", "max", "mean", "min", "std", "sum", "var", "vector_norm"]


def _axes(axis: int | tuple[int, ...], dimensions: int) -> tuple[int, ...]:
    return tuple(a % dimensions for a in (axis if isinstance(axis, tuple) else (axis,)))


_JOIN = np.frompyfunc(operator.or_, 2, 1)  # accumulators, element by element


def _joined(sums: Any, others: Any) -> Any:
    return _JOIN(sums, others)


def _array(x: Any) -> Any:
    """A dask array of what a dataframe or a column of one has."""
    return x.to_dask_array() if hasattr(x, "to_dask_array") else da.asanyarray(x)  # type: ignore[no-untyped-call]


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
        sums = _JOIN.reduce(sums, axis=a, keepdims=True)
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
    x = _array(x)
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


def _terms(total: fl.Accumulator, integers: bool) -> list[Any]:
    """Numbers that add up to what has been gathered, without rounding: a scan that begins with them goes on from there."""
    if total.count == 0:
        return []
    rounded = total.result(dtype=np.float64)
    try:
        rest = total.exact()
    except (ValueError, OverflowError):
        return [rounded]  # NaN, infinities
    if integers:
        return [int(rest)]
    terms = [rounded] if rest == 0 else []
    while rest:
        try:
            term = float(rest)
        except OverflowError:
            term = sys.float_info.max if rest > 0 else -sys.float_info.max
        terms.append(term)
        rest -= Fraction(term)
    return terms


def _scanned(x: Any, before: Any, axis: int, dtype: Any) -> Any:
    """A chunk's prefix sums, behind the exact sums of what is before it."""
    rows, sums = np.moveaxis(x, axis, -1), np.moveaxis(before, axis, -1)[..., 0]
    results = np.empty(rows.shape, dtype)
    for index in np.ndindex(sums.shape):
        integers = rows.dtype.kind in "biu"
        terms = np.array(_terms(sums[index], integers), rows.dtype if rows.dtype == np.uint64 else np.int64 if integers else np.float64)
        row = np.concatenate([terms, rows[index]])
        results[index] = fl.cumulative_sum(row, dtype=dtype)[len(terms):]
    return np.moveaxis(results, -1, axis)


def _nothing_yet(sums: Any) -> Any:
    results = np.empty(sums.shape, object)
    for index in np.ndindex(sums.shape):
        results[index] = fl.Accumulator("sum")
    return results


def cumulative_sum(x: Any, axis: int | None = None, dtype: DTypeLike | None = None) -> Any:
    """The prefix sums along an axis (which may be left out of one), each rounded once to ``dtype``: the same bits for any chunks.

    Each chunk is read twice: for its exact sum, and, when those before it are known, for its prefix sums. As with reductions along an axis,
    each result beside the axis takes an accumulator, so this is for long axes and few results beside them.
    """
    x = _array(x)
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"cumulative_sum: the array has {x.ndim} axes; name one")
        axis = 0
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"cumulative_sum: there is no axis {axis} of {x.ndim}")
    axis %= x.ndim
    dtype = np.asarray(fl.cumulative_sum(np.ones(1, x.dtype), dtype=dtype)).dtype
    chunks = tuple((1,) * len(lengths) if a == axis else lengths for a, lengths in enumerate(x.chunks))
    summed = functools.partial(_chunk, axis=axis, keepdims=True, operation="sum")
    totals = x.map_blocks(summed, dtype=object, chunks=chunks, meta=np.empty((0,) * x.ndim, object))
    name = "foldline-before-" + tokenize(totals, axis)
    graph: dict[Any, Any] = {}
    for index in itertools.product(*map(range, x.numblocks)):
        last = (*index[:axis], index[axis] - 1, *index[axis + 1:])
        graph[(name, *index)] = (_joined, (name, *last), (totals.name, *last)) if index[axis] else (_nothing_yet, (totals.name, *index))
    before = da.Array(HighLevelGraph.from_collections(name, graph, dependencies=[totals]), name, chunks, dtype=object)  # type: ignore[no-untyped-call]
    scanned = functools.partial(_scanned, axis=axis, dtype=dtype)
    return da.map_blocks(scanned, x, before, dtype=dtype, chunks=x.chunks, meta=np.empty((0,) * x.ndim, dtype))  # type: ignore[no-untyped-call]
