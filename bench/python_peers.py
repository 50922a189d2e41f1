#!/usr/bin/env python3
"""Error and time of sums of n numbers: numpy.sum, math.fsum, torch.sum and foldline.sum, on the processor and, where there is one, on a GPU. Prints JSON.

    python bench/python_peers.py [threads [note]] >records/python-peers.json          a minute or two; on a quiet machine, or with a note that it was not

Numbers are of both signs and of exponents from -20 to 20, so that much cancels: their sum is some 2^20 sqrt(n), that of their magnitudes 2^20 n. The error
is in roundings of the exact sum: |result - exact| / (2^-53 |exact|). docs/plots/python.py draws the record.
"""
import json
import math
import platform
import sys
import time
from fractions import Fraction

import numpy as np

import foldline as fl

try:
    import torch
except ImportError:
    torch = None
SIZES = [10**k for k in range(1, 9)]


def numbers(n, seed=1):
    generator = np.random.default_rng(seed)
    return generator.standard_normal(n) * 2.0 ** generator.integers(-20, 20, n)


def seconds(call, at_least=0.2):
    call()
    best, spent = math.inf, 0.0
    while spent < at_least:
        begin = time.perf_counter()
        call()
        took = time.perf_counter() - begin
        best, spent = min(best, took), spent + took
    return best


def seconds_on_gpu(call, calls=20):
    """Between events around some calls, of which each begins when the one before has ended."""
    call()
    best = math.inf
    for _ in range(5):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        torch.cuda.synchronize()
        best = min(best, begin.elapsed_time(end) / 1e3 / calls)
    return best


def measured(n):
    x = numbers(n)
    accumulator = fl.Accumulator()
    accumulator.add(x)
    exact = accumulator.exact()
    if n <= 10**5:
        assert exact == sum(map(Fraction, x.tolist()))
    ways = {"numpy.sum": (lambda: np.sum(x), seconds), "foldline.sum": (lambda: fl.sum(x), seconds)}
    if n <= 10**7:
        ways["math.fsum"] = (lambda: math.fsum(x), seconds)
    if torch is not None:
        t = torch.from_numpy(x)
        ways["torch.sum"] = (lambda: torch.sum(t), seconds)
        if torch.cuda.is_available() and fl.has_cuda():
            g = t.cuda()
            ways["torch.sum, GPU"] = (lambda: torch.sum(g), seconds_on_gpu)
            ways["foldline.sum, GPU"] = (lambda: fl.sum(g), seconds_on_gpu)
    found = {}
    for name, (call, timed) in ways.items():
        error = abs(Fraction(float(call())) - exact) / abs(exact) * 2**53
        found[name] = {"error_in_roundings": float(error), "nanoseconds": timed(call) * 1e9}
    return found


def main(threads, note=""):
    fl.set_num_threads(threads)
    if torch is not None:
        torch.set_num_threads(threads)
    with open("/proc/cpuinfo") as lines:
        processor = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    gpu = torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else None
    print(json.dumps({
        "measured": time.strftime("%Y-%m-%d"), "processor": processor, "gpu": gpu, "note": note, "threads": threads, "python": platform.python_version(),
        "numpy": np.__version__, "torch": torch.__version__ if torch is not None else None, "foldline": fl.__version__,
        "sizes": {str(n): measured(n) for n in SIZES},
    }, indent=1))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1, *sys.argv[2:])
