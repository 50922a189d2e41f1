"""PyTorch and foldline in one process, each with threads of its own; and in the forked workers of a DataLoader."""
import concurrent.futures
import math
import subprocess
import sys

import numpy as np
import pytest

import foldline as fl

torch = pytest.importorskip("torch")
X = np.random.default_rng(7).standard_normal(400_000)


def test_two_runtimes_of_threads_in_one_process():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    fl.set_num_threads(3)
    try:
        # Integers: their product is exact, however many threads PyTorch takes for it.
        expected, a = math.fsum(X), torch.from_numpy(np.rint(100 * X)).reshape(400, 1000)
        product = a @ a.T

        def both(n):
            return fl.sum(X), torch.equal(a @ a.T, product), float(fl.sum(torch.from_numpy(X[n:]))), fl.cumsum(X)[-1]

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for n, (total, is_same, part, last) in enumerate(pool.map(both, range(12))):
                assert total == last == expected and is_same and part == math.fsum(X[n:])
    finally:
        fl.set_num_threads(0)
        torch.set_num_threads(before)


def test_workers_of_a_data_loader():
    # In a process of its own, so that a hang ends.
    code = """
import math, numpy as np, torch, foldline as fl
x = np.random.default_rng(7).standard_normal(400_000)

class Sums(torch.utils.data.Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, i):
        part = torch.from_numpy(x[i:])
        return fl.sum(x[i:]), fl.sum(part).item(), fl.sum(x.reshape(400, 1000), axis=0)[i], fl.get_num_threads()

fl.set_num_threads(4)
torch.set_num_threads(4)
assert fl.sum(x) == math.fsum(x)
torch.randn(500, 500) @ torch.randn(500, 500)
loader = torch.utils.data.DataLoader(Sums(), batch_size=None, num_workers=2, multiprocessing_context="fork")
for _ in range(2):
    for i, (total, of_tensor, of_column, threads) in enumerate(loader):
        assert total == of_tensor == math.fsum(x[i:]) and of_column == math.fsum(x[i::1000]) and threads == 1, i
assert fl.sum(x) == math.fsum(x) and fl.get_num_threads() == 4
print("done")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n", done.stderr
