"""The same sum, to the last bit, for any chunks of a dask array.

    python3 examples/python/dask_sums.py
"""
import dask.array as da
import numpy as np

import foldline as fl
from foldline import dask as fd

numbers = np.random.default_rng(1).standard_normal(100_000).astype(np.float32)
exact, plain = set(), set()
for chunk in (100_000, 10_000, 3_333, 1_024, 77):
    array = da.from_array(numbers, chunks=chunk)
    exact.add(float(fd.sum(array).compute()))
    plain.add(float(array.sum().compute()))
assert exact == {float(fl.sum(numbers))}
assert fd.cumulative_sum(da.from_array(numbers, chunks=999))[-1].compute() == fl.sum(numbers)
print(f"5 chunkings: {len(exact)} exact sum, {len(plain)} of dask's own")
