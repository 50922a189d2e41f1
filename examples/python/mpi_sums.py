"""The same sum and variance, to the last bit, however numbers are spread over ranks.

    mpirun -n 4 python3 examples/python/mpi_sums.py
"""
import numpy as np
from mpi4py import MPI

import foldline as fl
from foldline import mpi

comm = MPI.COMM_WORLD
numbers = np.random.default_rng(1).standard_normal(100_000) * 10.0 ** np.random.default_rng(2).integers(-10, 10, 100_000)
part = np.array_split(numbers, comm.size)[comm.rank]  # in a program of its own each rank has its part alone

total = mpi.sum(part)
assert total == fl.sum(numbers)
assert mpi.var(part, correction=1) == fl.var(numbers, correction=1)

# Numbers that come piece by piece.
own = fl.Accumulator("mean")
for piece in np.array_split(part, 3):
    own.add(piece)
assert mpi.all_reduce(own).result() == fl.mean(numbers)

if comm.rank == 0:
    print(f"{comm.size} ranks: the sum is {float(total).hex()}")
