"""A script as users write it; mypy checks it, nobody runs it."""
from fractions import Fraction

import numpy as np

import foldline as fl

x = np.ones((2, 3))
total: np.float64 = fl.sum(x)
rows = fl.mean(x, axis=(0, -1), keepdims=True, where=x > 0, dtype=np.float32)
deviation = fl.std([1, 2, 3], correction=1) + fl.var(x, ddof=0)
norm = fl.vector_norm(x, axis=1, ord=1)
product = fl.matmul(x, x.T) + fl.vecdot(x, x, axis=-1)
sums = fl.cumulative_sum(x, axis=0, include_initial=True)
area: float = fl.integrate(lambda t: np.exp(-t), 0, np.inf, method="tanh_sinh").value
number: float = fl.fsum(range(3))
accumulator = fl.Accumulator("sum")
accumulator.add(x)
accumulator |= fl.Accumulator.from_bytes(bytes(accumulator))
exact: Fraction = accumulator.exact()
fl.set_num_threads(2)

fl.sum(x, axis="rows")  # type: ignore[arg-type]
fl.fsum(3)  # type: ignore[arg-type]
fl.Accumulator(3)  # type: ignore[arg-type]
fl.integrate(1.0, 0, 1)  # type: ignore[arg-type]
