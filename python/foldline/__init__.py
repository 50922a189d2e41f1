"""Exact sums of arrays: every result is the exact one, rounded once.

>>> import foldline as fl
>>> fl.sum([1e16, 1.0, -1e16])
np.float64(1.0)

Functions have the names and arguments of the Python Array API standard where it has them, NumPy's otherwise.
"""
from foldline._core import (
    Accumulator,
    IntegralEstimate,
    average,
    cumsum,
    cumulative_sum,
    dot,
    fsum,
    get_num_threads,
    integrate,
    matmul,
    max,
    mean,
    min,
    nanmean,
    nanstd,
    nansum,
    nanvar,
    set_num_threads,
    simpson,
    std,
    sum,
    trapezoid,
    var,
    vecdot,
    vector_norm,
)

__all__ = [
    "Accumulator",
    "IntegralEstimate",
    "average",
    "cumsum",
    "cumulative_sum",
    "dot",
    "fsum",
    "get_num_threads",
    "integrate",
    "matmul",
    "max",
    "mean",
    "min",
    "nanmean",
    "nanstd",
    "nansum",
    "nanvar",
    "set_num_threads",
    "simpson",
    "std",
    "sum",
    "trapezoid",
    "var",
    "vecdot",
    "vector_norm",
]
__version__ = "0.2.0"
