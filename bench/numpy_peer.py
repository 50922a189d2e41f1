#!/usr/bin/env python3
"""NumPy's times for groups of foldline-bench, as JSON rows on standard output.

    numpy_peer.py [--rounds 11] [--shortest 0.001] sum/float64/4096/1/uniform ...

foldline-bench --numpy calls it. The data is of the same kind as there, not the same numbers.
"""

import argparse
import json
import re
import sys
import time

try:
    import numpy
except ImportError:
    sys.exit("numpy_peer.py: this Python has no NumPy")

OPERATIONS = {
    "sum": lambda x, y: x.sum(),
    "dot": lambda x, y: numpy.dot(x, y),
    "two_norm": lambda x, y: numpy.linalg.norm(x),
    "abs_sum": lambda x, y: numpy.abs(x).sum(),
    "mean": lambda x, y: x.mean(),
    "variance": lambda x, y: x.var(),
    "inclusive_scan": lambda x, y: numpy.cumsum(x, out=y),
    "column_sums": lambda x, y: x[: x.size // 8 * 8].reshape(-1, 8).sum(axis=0),
    "wide_column_sums": lambda x, y: x[: x.size // 8 * 8].reshape(8, -1).sum(axis=0),
    "minmax": lambda x, y: (x.min(), x.max()),
}
COLUMN_SUMS = re.compile(r"column_sums:(\d+)x(\d+)")
WORDS = {2: numpy.uint16, 4: numpy.uint32, 8: numpy.uint64}


def from_bits(generator, exponents, dtype, size):
    """Random signs and fractions with exponent fields below `exponents`."""
    info = numpy.finfo(dtype)
    word = WORDS[info.bits // 8]
    bits = generator.integers(0, 1 << info.nmant, size, dtype=word)
    bits |= generator.integers(0, exponents, size, dtype=word) << word(info.nmant)
    bits |= generator.integers(0, 2, size, dtype=word) << word(info.bits - 1)
    return bits.view(dtype)


def make(data, dtype, size, seed):
    generator = numpy.random.default_rng(seed)
    draw = dtype if dtype in (numpy.float32, numpy.float64) else numpy.float32
    if data == "normal":
        return generator.standard_normal(size, dtype=draw).astype(dtype)
    if data == "wide":
        return from_bits(generator, (1 << numpy.finfo(dtype).iexp) - 1, dtype, size)
    if data == "subnormal":
        return from_bits(generator, 1, dtype, size)
    x = generator.random(size, dtype=draw).astype(dtype)
    if data == "sparse":
        x[generator.random(size, dtype=numpy.float32) >= 0.01] = 0
    if data == "infinite":
        x[:: 1024] = numpy.inf
    return x


def call_for(operation, x, y):
    """The operation on x (and y) without arguments, or None if NumPy has none of that name."""
    if shape := COLUMN_SUMS.fullmatch(operation):
        rows, columns = map(int, shape.groups())
        matrix, sums = x.reshape(rows, columns), y[:columns]
        return lambda: matrix.sum(axis=0, out=sums)
    if operation in OPERATIONS:
        return lambda: OPERATIONS[operation](x, y)
    return None


def seconds_for(call, calls):
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return time.perf_counter() - start


def measure(call, rounds, shortest):
    calls = 1
    while seconds_for(call, calls) < shortest:
        calls *= 2
    times = [seconds_for(call, calls) / calls * 1e9 for _ in range(rounds)]
    return {"rounds_ns": times, "calls_per_measurement": calls}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="+", help="operation/type/n/threads/data")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--shortest", type=float, default=1e-3)
    options = parser.parse_args()
    numpy.seterr(all="ignore")  # wide data overflows an ordinary sum
    rows, arrays = [], {}
    for group in options.groups:
        operation, dtype, size, _, data = group.split("/")
        kind = (dtype, int(size), data)
        if kind not in arrays:
            arrays = {kind: [make(data, numpy.dtype(dtype).type, int(size), seed) for seed in (1, 2)]}
        call = call_for(operation, *arrays[kind])
        if call is None:
            continue
        times = measure(call, options.rounds, options.shortest)
        rows.append({"group": group, "contestant": "NumPy " + numpy.__version__, **times})
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
