#!/usr/bin/env python3
"""What calls from Python cost, beside NumPy and math.fsum, and xsum, accupy and bottleneck where they are installed: small calls in microseconds, a large
sum in GB/s, `import` in ms. Prints JSON.
On a quiet machine, with the package installed: python bench/python_calls.py [threads] >records/python-PROCESSOR.json
The read roof is glibc's memchr looking through as many bytes for one that is not there, on one thread.
"""
import ctypes
import importlib
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


def processor():
    with open("/proc/cpuinfo") as lines:
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def read_roof(n):
    """Bytes for each nanosecond."""
    memchr = ctypes.CDLL(None).memchr
    memchr.argtypes, memchr.restype = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t), ctypes.c_void_p
    ones = np.ones(n, np.uint8)
    assert memchr(ones.ctypes.data, 2, n) is None
    return n / microseconds("memchr(address, 2, n)", memchr=memchr, address=ones.ctypes.data, n=n) / 1e3


def peers():
    """Sums that other packages have, as code for timeit, with the names that it needs."""
    sums, names = [], {}
    for package, call in (("xsum", "exact_sum(xsum, x)"), ("accupy", "accupy.ksum(x, K=2)"), ("bottleneck", "bottleneck.nansum(x)")):
        try:
            names[package] = importlib.import_module(package)
        except ImportError:
            continue
        sums.append(call)
    return sums, names | {"exact_sum": exact_sum}


def exact_sum(xsum, x):
    """By xsum's large accumulator, the faster one of many numbers."""
    accumulator = xsum.xsum_large_accumulator()
    xsum.xsum_init(accumulator)
    xsum.xsum_add(accumulator, x)
    return xsum.xsum_round(accumulator)


def main(threads):
    fl.set_num_threads(threads)
    small, table = np.random.default_rng(1).random(10), np.random.default_rng(2).random((4, 5))
    calls = ["fl.sum(x)", "np.sum(x)", "math.fsum(x)", "fl.mean(x)", "fl.var(x)", "fl.vecdot(x, x)", "fl.cumsum(x)", "np.cumsum(x)",
             "fl.sum(t, axis=0)", "np.sum(t, axis=0)", "fl.sum(t, axis=(0, 1))"]
    large = np.random.default_rng(3).random(10**8)
    more, names = peers()
    sums = ["fl.sum(x)", "np.sum(x)", "math.fsum(x)", *more]
    assert fl.sum(large) == math.fsum(large)
    assert "xsum" not in names or exact_sum(names["xsum"], large) == fl.sum(large)
    print(json.dumps({
        "measured": time.strftime("%Y-%m-%d"), "processor": processor(), "python": platform.python_version(), "numpy": np.__version__,
        "threads": threads, "import_ms": importing(),
        "microseconds": {call: microseconds(call, x=small, t=table) for call in calls},
        "read_roof_gigabytes_per_second": read_roof(large.nbytes),
        "gigabytes_per_second": {call: large.nbytes / microseconds(call, x=large, **names) / 1e3 for call in sums},
    }, indent=1))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
