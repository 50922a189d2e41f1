"""Exact sums of arrays that are spread over the ranks of an MPI communicator, by mpi4py.

Every function is collective: all ranks of ``comm`` (``MPI.COMM_WORLD`` if it is None) call it, each with its part of the data, of any size.
The result is that of all parts together, on every rank: the same bits for any number of ranks and any split. If ranks call different things,
or one of them fails, every rank raises the same error.

>>> from foldline import mpi
>>> mpi.sum([1e16, 1.0, -1e16])       # with one rank
np.float64(1.0)

Results have the types of the package's functions of the same names; the element type is the same on all ranks. Exact sums travel as a few
kilobytes, pickled, so each takes the time of the local sums and of log2(ranks) short messages.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import ArrayLike, DTypeLike, NDArray

import foldline as fl

__all__ = ["all_reduce", "all_reduce_array", "average", "max", "mean", "min", "std", "sum", "var", "vecdot", "vector_norm"]


class _State:
    """What one rank, or several together, ask for and have: merged in any order."""

    def __init__(self) -> None:
        self.calls: dict[tuple[str, ...], int] = {}  # each with the lowest rank that makes it
        self.failure: tuple[int, str, str] | None = None  # rank, type of the exception, text
        self.total: fl.Accumulator | None = None

    def merge(self, other: _State) -> _State:
        for call, rank in other.calls.items():
            self.calls[call] = rank if rank < self.calls.get(call, rank + 1) else self.calls[call]
        if other.failure is not None and (self.failure is None or other.failure < self.failure):
            self.failure = other.failure
        if len(self.calls) > 1 or self.failure is not None:
            self.total = None
        elif self.total is not None and other.total is not None:
            self.total = self.total | other.total
        return self

    def check(self) -> None:
        if len(self.calls) > 1:
            (first, a), (second, b), *_ = sorted(self.calls.items(), key=lambda item: item[1])
            raise ValueError(f"foldline.mpi: ranks {a} and {b} call different things, {' '.join(first)} and {' '.join(second)}; all ranks of a "
                             "communicator must make the same call with the same types and sizes")
        if self.failure is not None:
            rank, kind, text = self.failure
            errors = {"ValueError": ValueError, "TypeError": TypeError, "OverflowError": OverflowError, "MemoryError": MemoryError}
            raise errors.get(kind, RuntimeError)(f"foldline.mpi: rank {rank}: {text}")


def _one_group(comm: Any) -> Any:
    """The communicator. Reductions on one of two groups would give each group the result of the other."""
    comm = MPI.COMM_WORLD if comm is None else comm
    if comm == MPI.COMM_NULL:
        raise ValueError("foldline.mpi: the communicator is MPI.COMM_NULL; give one that this process is in")
    if comm.Is_inter():
        raise ValueError("foldline.mpi: an intercommunicator has two groups; merge them with Merge()")
    return comm


def _agreed(comm: Any, describe: Callable[[], tuple[str, ...]], work: Callable[[], fl.Accumulator | None]) -> Any:
    """Calls describe() and work() on every rank and merges the accumulators that work() returns.

    Raises on all ranks if one of these fails on any, or if ranks describe different calls.
    """
    state = _State()
    try:
        state.calls[describe()] = comm.Get_rank()
        state.total = work()
    except Exception as error:
        state.failure = (comm.Get_rank(), type(error).__name__, str(error))
    state = comm.allreduce(state, op=lambda a, b: a.merge(b))
    state.check()
    return state.total


def all_reduce(accumulator: fl.Accumulator, comm: Any = None) -> fl.Accumulator:
    """What the accumulators of all ranks have gathered, on every rank."""
    total: fl.Accumulator = _agreed(_one_group(comm), lambda: ("all_reduce", accumulator.operation), lambda: accumulator)
    return total


def _reduced(name: str, comm: Any, *vectors: Any, dtype: DTypeLike | None = None, correction: float | None = None) -> Any:
    arrays: list[Any] = []

    def describe() -> tuple[str, ...]:
        # Lists are arrays once; what has a dtype is read where it lies.
        arrays.extend(a if hasattr(a, "dtype") else np.asarray(a) for a in vectors)
        return (name, *(str(a.dtype) for a in arrays), f"dtype={dtype}", f"correction={correction}")

    def work() -> fl.Accumulator:
        own = fl.Accumulator(name)
        own.add(*arrays)
        return own

    total = _agreed(_one_group(comm), describe, work)
    return total.result(dtype=dtype) if correction is None else total.result(dtype=dtype, correction=correction)


def sum(x: ArrayLike, comm: Any = None, *, dtype: DTypeLike | None = None) -> Any:
    """The sum of all elements of all ranks, rounded once."""
    return _reduced("sum", comm, x, dtype=dtype)


def mean(x: ArrayLike, comm: Any = None, *, dtype: DTypeLike | None = None) -> Any:
    """The mean of all elements; NaN if there are none."""
    return _reduced("mean", comm, x, dtype=dtype)


def var(x: ArrayLike, comm: Any = None, *, dtype: DTypeLike | None = None, correction: float = 0) -> Any:
    """The variance of all elements, with the divisor n - correction."""
    return _reduced("var", comm, x, dtype=dtype, correction=correction)


def std(x: ArrayLike, comm: Any = None, *, dtype: DTypeLike | None = None, correction: float = 0) -> Any:
    """The standard deviation of all elements, with the divisor n - correction."""
    return _reduced("std", comm, x, dtype=dtype, correction=correction)


def vector_norm(x: ArrayLike, comm: Any = None, *, dtype: DTypeLike | None = None) -> Any:
    """The Euclidean norm of all elements."""
    return _reduced("vector_norm", comm, x, dtype=dtype)


def min(x: ArrayLike, comm: Any = None) -> Any:
    """The smallest element; ValueError if no rank has one."""
    return _reduced("min", comm, x)


def max(x: ArrayLike, comm: Any = None) -> Any:
    """The largest element; ValueError if no rank has one."""
    return _reduced("max", comm, x)


def vecdot(x1: ArrayLike, x2: ArrayLike, comm: Any = None, *, dtype: DTypeLike | None = None) -> Any:
    """The sum of all products of the elements of two arrays; on each rank, both have the same shape."""
    return _reduced("dot", comm, x1, x2, dtype=dtype)


def average(x: ArrayLike, weights: ArrayLike, comm: Any = None) -> Any:
    """The mean of all elements with these weights."""
    return _reduced("average", comm, x, weights)


def all_reduce_array(x: ArrayLike, comm: Any = None, *, operation: str = "sum") -> NDArray[Any]:
    """All ranks' arrays reduced element by element, each element rounded once to the arrays' type.

    Parameters
    ----------
    x : array of floats of 16, 32 or 64 bits, or of integers, of the same shape and type on all ranks
    operation : "sum", "mean", "min", "max" or "vector_norm"

    Rank r gets slice r of all ranks, reduces it, and sends the result to all: each rank sends and receives twice the array. Takes the
    memory of two more arrays.
    """
    comm = _one_group(comm)
    ranks = comm.Get_size()
    buffers: dict[str, NDArray[Any]] = {}

    def describe() -> tuple[str, ...]:
        given = buffers["given"] = np.asarray(x)
        return ("all_reduce_array", operation, str(given.dtype), "x".join(map(str, given.shape)))

    def prepare() -> None:
        if operation not in ("sum", "mean", "min", "max", "vector_norm"):
            raise ValueError(f"all_reduce_array: there is no operation '{operation}'; there are sum, mean, min, max, vector_norm")
        given = buffers["given"]
        size = -(-given.size // ranks)
        buffers["own"] = np.zeros((ranks, size), given.dtype)
        buffers["own"].reshape(-1)[: given.size] = given.reshape(-1)
        buffers["all"] = np.empty_like(buffers["own"])
        buffers["slice"] = np.zeros(size, given.dtype)
        for buffer in ("own", "all", "slice"):
            buffers[buffer].view(np.uint8)  # bytes travel, whatever the type: objects cannot

    def reduce() -> None:
        if buffers["slice"].size > 0:
            buffers["slice"][...] = _function_of(operation)(buffers["all"], buffers["slice"].dtype)

    def message(buffer: str) -> list[Any]:
        return [buffers[buffer].view(np.uint8), MPI.BYTE]

    _agreed(comm, describe, prepare)
    comm.Alltoall(message("own"), message("all"))
    _agreed(comm, describe, reduce)
    comm.Allgather(message("slice"), message("own"))
    shape = buffers["given"].shape
    return buffers["own"].reshape(-1)[: buffers["given"].size].reshape(shape)


def _function_of(operation: str) -> Any:
    if operation in ("min", "max"):
        return lambda x, dtype: getattr(fl, operation)(x, axis=0)
    return lambda x, dtype: getattr(fl, operation)(x, axis=0, dtype=dtype)
