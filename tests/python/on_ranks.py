"""What test_mpi.py runs on several ranks: every result has the bits of one process's, and every rank gets every error."""
import numpy as np
from mpi4py import MPI

import foldline as fl
from foldline import mpi

COMM = MPI.COMM_WORLD
RANK, RANKS = COMM.Get_rank(), COMM.Get_size()
rng = np.random.default_rng(11)


def part(x):
    """Uneven parts, the second one empty."""
    cuts = np.sort(np.random.default_rng(5).integers(0, len(x) + 1, RANKS - 1))
    if RANKS > 2:
        cuts[1] = cuts[0]
    return np.split(x, cuts)[RANK]


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), (a, b)


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        messages = COMM.allgather(str(error))
        assert text in messages[0] and len(set(messages)) == 1, messages
    else:
        raise AssertionError(f"no {kind.__name__}")


x = rng.standard_normal(5000) * 10.0 ** rng.integers(-150, 150, 5000)
y = rng.standard_normal(5000)
for dtype in (np.float64, np.float32, np.float16, np.int32, np.uint8):
    z = (x if dtype == np.float64 else rng.integers(0, 200, 5000)).astype(dtype)
    for name in ("sum", "mean", "var", "std", "vector_norm", "min", "max"):
        same(getattr(mpi, name)(part(z)), getattr(fl, name)(z))
same(mpi.var(part(x), correction=1), fl.var(x, correction=1))
same(mpi.sum(part(x), dtype=np.float32), fl.sum(x, dtype=np.float32))
same(mpi.vecdot(part(x), part(y)), fl.vecdot(x, y))
same(mpi.average(part(x), part(y)), fl.average(x, weights=y))
a = fl.Accumulator("sum")
a.add(part(x))
whole = fl.Accumulator("sum")
whole.add(x)
assert bytes(mpi.all_reduce(a)) == bytes(whole)

for dtype in (np.float64, np.float32, np.float16, np.int64):
    for shape in ((), (1,), (7, 3), (1000,), (0,)):
        arrays = (rng.standard_normal((RANKS, *shape)) * 10.0 ** rng.integers(-4, 4, (RANKS, *shape))).astype(dtype)
        for operation in ("sum", "max"):
            same(mpi.all_reduce_array(arrays[RANK], operation=operation), np.asarray(getattr(fl, operation)(arrays, axis=0)).astype(dtype))

if RANKS > 1:
    odd = RANK == RANKS - 1
    raises(ValueError, "call different things, sum", lambda: mpi.mean(x) if odd else mpi.sum(x))
    raises(ValueError, "float32", lambda: mpi.sum(x.astype(np.float32) if odd else x))
    raises(ValueError, "call different things", lambda: mpi.all_reduce_array(x[:3] if odd else x))
    raises(ValueError, f"rank {RANKS - 1}", lambda: mpi.vecdot(x, x[:3] if odd else x))
    raises(ValueError, f"rank {RANKS - 1}: setting an array element", lambda: mpi.sum([[1.0], [1.0, 2.0]] if odd else x))
    raises(ValueError, f"rank {RANKS - 1}: setting an array element", lambda: mpi.all_reduce_array([[1.0], [1.0, 2.0]] if odd else x))
    half = COMM.Split(RANK % 2, RANK)
    between = half.Create_intercomm(0, COMM, 1 - RANK % 2)
    raises(ValueError, "two groups", lambda: mpi.sum(x, between))
    raises(ValueError, "two groups", lambda: mpi.all_reduce_array(x, between))
raises(ValueError, "COMM_NULL", lambda: mpi.sum(x, MPI.COMM_NULL))
same(mpi.sum(part(x), COMM.Split(0, -RANK)), fl.sum(x))
same(mpi.sum(x, MPI.COMM_SELF), fl.sum(x))
raises(OverflowError, "", lambda: mpi.sum(np.array([2**62, 2**62])) if RANKS == 1 else mpi.sum(np.array([2**62])) + mpi.sum(np.full(2, 2**62)))
raises(ValueError, "", lambda: mpi.min(np.empty(0)))
COMM.Barrier()
if RANK == 0:
    print(RANKS, "ranks")
