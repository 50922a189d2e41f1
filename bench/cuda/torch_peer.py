#!/usr/bin/env python3
"""PyTorch's times on a GPU for groups of foldline-bench, as JSON rows on standard output.

    torch_peer.py [--rounds 11] [--shortest 0.001] sum/float64/268435456/cuda/uniform ...

foldline-bench --torch calls it. The data is of the same kind as there, not the same numbers. As there, calls are in a CUDA
graph or, of groups with "stream" in their names, queued one by one; results are in memory that was allocated before; and
scans and matrices are taken from several places in turn, more than three times the cache in all.
"""

import argparse
import json
import math
import re
import sys

try:
    import torch
except ImportError:
    sys.exit("torch_peer.py: this Python has no PyTorch")

REDUCTIONS = {
    "sum": lambda x, y, out: torch.sum(x, 0, out=out),
    "dot": lambda x, y, out: torch.dot(x, y, out=out),
    "two_norm": lambda x, y, out: torch.linalg.vector_norm(x, out=out),
    "abs_sum": lambda x, y, out: torch.linalg.vector_norm(x, 1, out=out),
    "mean": lambda x, y, out: torch.mean(x, 0, out=out),
    "variance": lambda x, y, out: torch.var(x, 0, correction=0, out=out),
}
COLUMN_SUMS = re.compile(r"column_sums:(\d+)x(\d+)")
MOST_CALLS = 1000  # of a batch; more make no difference


def make(data, dtype, size):
    if not dtype.is_floating_point:
        return torch.randint(-1000, 1001, (size,), dtype=dtype, device="cuda")
    draw = {"uniform": torch.rand, "normal": torch.randn}.get(data)
    return draw and draw(size, dtype=dtype, device="cuda")


def turns(size, dtype):
    """Pieces of `size` elements that together are more than the cache holds: how many, and elements in all."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    total = max(size, 4 * cache // dtype.itemsize)
    return max(1, min(total // size, 3 * cache // (size * dtype.itemsize) + 1)), total


def calls_for(operation, data, dtype, size):
    """A function that queues call i, and the pieces that calls take in turn; or None if PyTorch has no such operation."""
    shape = COLUMN_SUMS.fullmatch(operation)
    if operation in REDUCTIONS:
        x, y = (make(data, dtype, size) for _ in range(2))
        out = torch.empty((), dtype=dtype, device="cuda")
        return None if x is None else (lambda i: REDUCTIONS[operation](x, y, out), 1)
    if not shape and operation != "inclusive_scan":
        return None
    pieces, total = turns(size, dtype)
    x = make(data, dtype, total)
    if x is None:
        return None
    parts = [x[i * size : (i + 1) * size] for i in range(pieces)]
    if shape:
        rows, columns = map(int, shape.groups())
        parts = [part.view(rows, columns) for part in parts]
        out = torch.empty(columns, dtype=dtype, device="cuda")
        return lambda i: torch.sum(parts[i % pieces], 0, out=out), pieces
    outs = list(torch.empty_like(x)[: pieces * size].view(pieces, size))
    return lambda i: torch.cumsum(parts[i % pieces], 0, dtype=dtype, out=outs[i % pieces]), pieces


class Batch:
    """`calls` calls, in a CUDA graph if `captured`."""

    def __init__(self, queue, calls, captured):
        self.calls = calls
        self.graph = None

        def all_calls():
            for i in range(calls):
                queue(i)

        self.launch = all_calls
        if captured:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                all_calls()
            self.launch = self.graph.replay

    def nanoseconds(self):
        """Of one call."""
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        self.launch()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e6 / self.calls


def measure(queue, pieces, captured, rounds, shortest):
    queue(0)  # loads the kernel, and allocates what it needs
    torch.cuda.synchronize()
    one = Batch(queue, 1, captured)
    one.launch()
    enough = math.ceil(shortest * 1e9 / one.nanoseconds() / pieces)
    batch = Batch(queue, max(1, min(enough, math.ceil(MOST_CALLS / pieces))) * pieces, captured)
    times = []
    for _ in range(rounds):
        batch.launch()  # keeps the GPU busy until all is queued, and leaves the caches as calls find them
        times.append(batch.nanoseconds())
    return {"rounds_ns": times, "calls_per_measurement": batch.calls}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="+", help="operation/type/n/cuda/data")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--shortest", type=float, default=1e-3)
    options = parser.parse_args()
    rows = []
    for group in options.groups:
        operation, dtype, size, way, data = group.split("/")
        calls = calls_for(operation, data, getattr(torch, dtype), int(size))
        if calls is not None:
            times = measure(*calls, way == "cuda", options.rounds, options.shortest)
            rows.append({"group": group, "contestant": "PyTorch " + torch.__version__, **times})
        del calls
        torch.cuda.empty_cache()
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
