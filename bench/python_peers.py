#!/usr/bin/env python3
"""Error and time of sums of n numbers: numpy.sum, math.fsum, xsum, accupy, torch.sum and foldline.sum, those that are installed, on the processor and,
where there is one, on a GPU. Prints JSON.

    python bench/python_peers.py [threads [note]] >records/python-peers.json          a minute or two; on a quiet machine, or with a note that it was not

Numbers are of both signs and of exponents from -20 to 20, so that much cancels: their sum is some 2^20 sqrt(n), that of their magnitudes 2^20 n. The error
is in roundings of the exact sum: |result - exact| / (2^-53 |exact|). `right` is how many of `trials` such vectors had the exact sum rounded once, bit for bit.
docs/plots/python.py draws the record, docs/generator/python_tables.py makes the table.
"""
import importlib.metadata
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
try:
    import xsum
except ImportError:
    xsum = None
try:
    import accupy
except ImportError:
    accupy = None
METHOD = "processor time of a call, the least of at least 0.2 s of calls; on a GPU between events"
SIZES = [10**k for k in range(1, 9)]


def numbers(n, seed=1):
    generator = np.random.default_rng(seed)
    return generator.standard_normal(n) * 2.0 ** generator.integers(-20, 20, n)


def seconds(call, n, at_least=0.2):
    """Of the processor, so that what other programs do counts less: of all threads, which is one unless more are asked for. The least of some."""
    calls = max(1, 20_000 // n)
    call()
    best, spent = math.inf, 0.0
    while spent < at_least:
        begin = time.process_time()
        for _ in range(calls):
            call()
        took = time.process_time() - begin
        best, spent = min(best, took / calls), spent + took
    return best


def seconds_on_gpu(call, _, calls=20):
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


def xsum_by(accumulator, x):
    accumulator.add(x)
    return accumulator.round()


def ways_to_sum(n):
    """Functions of an array of the host, each with its name; those of a GPU are of a tensor."""
    ways = {"numpy.sum": np.sum, "foldline.sum": fl.sum}
    if n <= 10**7:
        ways["math.fsum"] = math.fsum
        if accupy is not None:
            ways |= {"accupy.fsum": accupy.fsum, "accupy.ksum": accupy.ksum}
    if xsum is not None:
        ways |= {"xsum.xsum_small": lambda x: xsum_by(xsum.xsum_small(), x), "xsum.xsum_large": lambda x: xsum_by(xsum.xsum_large(), x)}
    if torch is not None:
        ways["torch.sum"] = lambda x: torch.sum(torch.from_numpy(x))
    return ways


def on_gpu(x):
    """The same of a tensor that is there already."""
    if torch is None or not torch.cuda.is_available() or not fl.has_cuda():
        return {}
    g = torch.from_numpy(x).cuda()
    return {"torch.sum, GPU": lambda: torch.sum(g), "foldline.sum, GPU": lambda: fl.sum(g)}


def exact_sum(x):
    accumulator = fl.Accumulator()
    accumulator.add(x)
    exact = accumulator.exact()
    if len(x) <= 10**5:
        assert exact == sum(map(Fraction, x.tolist()))
    return exact


def measured(n):
    trials = max(1, min(20, 10**8 // n // 5))
    found = {}
    for trial in range(trials):
        x = numbers(n, trial + 1)
        exact = exact_sum(x)
        calls = {name: (lambda call=call: call(x), seconds) for name, call in ways_to_sum(n).items()}
        calls |= {name: (call, seconds_on_gpu) for name, call in on_gpu(x).items()}
        for name, (call, timed) in calls.items():
            result = float(call())
            if trial == 0:
                found[name] = {"error_in_roundings": float(abs(Fraction(result) - exact) / abs(exact) * 2**53), "nanoseconds": timed(call, n) * 1e9,
                               "right": 0, "trials": trials}
            found[name]["right"] += result == float(exact)
    return found


def main(threads, note=""):
    fl.set_num_threads(threads)
    if torch is not None:
        torch.set_num_threads(threads)
    with open("/proc/cpuinfo") as lines:
        processor = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    gpu = torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else None
    print(json.dumps({
        "measured": time.strftime("%Y-%m-%d"), "processor": processor, "gpu": gpu, "note": note, "method": METHOD, "threads": threads,
        "python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__ if torch is not None else None,
        **{module.__name__: importlib.metadata.version(module.__name__) for module in (xsum, accupy) if module is not None},
        "foldline": fl.__version__,
        "sizes": {str(n): measured(n) for n in SIZES},
    }, indent=1))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1, *sys.argv[2:])
