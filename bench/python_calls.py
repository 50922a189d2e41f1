#!/usr/bin/env python3
"""What calls from Python cost, beside NumPy and math.fsum: small calls in microseconds, a large sum in GB/s, `import` in ms. Prints JSON.
On a quiet machine: python bench/python_calls.py [threads]; the package has to be installed."""
import json
import math
import platform
import subprocess
import sys
import time
import timeit

import numpy as np

import foldline as fl


def microseconds(call, **names):
    timer = timeit.Timer(call, globals={"fl": fl, "np": np, "math": math, **names})
    number, _ = timer.autorange()
    return min(timer.repeat(7, number)) / number * 1e6


def importing():
    def run(code):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - begin
    code = "import numpy", "import numpy, foldline"
    return (min(run(code[1]) for _ in range(7)) - min(run(code[0]) for _ in range(7))) * 1e3


def main(threads):
    fl.set_num_threads(threads)
    small, table = np.random.default_rng(1).random(10), np.random.default_rng(2).random((4, 5))
    calls = ["fl.sum(x)", "np.sum(x)", "math.fsum(x)", "fl.mean(x)", "fl.var(x)", "fl.vecdot(x, x)", "fl.cumsum(x)", "np.cumsum(x)",
             "fl.sum(t, axis=0)", "np.sum(t, axis=0)", "fl.sum(t, axis=(0, 1))"]
    large = np.random.default_rng(3).random(10**8)
    sums = ["fl.sum(x)", "np.sum(x)", "math.fsum(x)"]
    assert fl.sum(large) == math.fsum(large)
    print(json.dumps({
        "processor": platform.processor() or platform.machine(), "python": platform.python_version(), "numpy": np.__version__,
        "threads": threads, "import_ms": importing(),
        "microseconds": {call: microseconds(call, x=small, t=table) for call in calls},
        "gigabytes_per_second": {call: large.nbytes / microseconds(call, x=large) / 1e3 for call in sums},
    }, indent=1))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
