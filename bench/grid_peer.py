#!/usr/bin/env python3
"""A peer of foldline-bench --grid, which starts it: NumPy, PyTorch or CuPy.

    grid_peer.py numpy|torch|cupy BYTES

Says its name; then answers a cell, a line of JSON, by "ready" or, if it has no such operation, "none", and "run" by the nanoseconds of a call.
On a GPU a measurement is of several calls that are queued one by one, between two events.
"""
import importlib
import json
import sys
import time
import warnings


class NumPy:
    """And CuPy, whose functions have the same names."""

    def __init__(self, module, most_bytes):
        self.module = module
        self.on_gpu = module.__name__ == "cupy"
        self.memory = module.ones(most_bytes, dtype=module.uint8)
        self.results = module.empty(most_bytes, dtype=module.uint8)
        self.type = None

    def fill(self, name):
        self.type = name
        dtype = self.module.dtype(name)
        data = self.memory[: self.memory.size // dtype.itemsize * dtype.itemsize].view(dtype)
        numbers = self.module.random.random(1000003).astype(self.module.float64)
        scale = 1 if dtype.kind == "f" else {1: 256 if dtype.kind == "u" else 128, 2: 32768}.get(dtype.itemsize, 1 << 20)
        numbers = (numbers * scale).astype(dtype)
        for start in range(0, data.size, numbers.size):
            size = min(numbers.size, data.size - start)
            data[start : start + size] = numbers[:size]

    def prepare(self, cell):
        try:
            dtype, result = self.module.dtype(cell["type"]), self.module.dtype(cell["result"])
        except TypeError:
            return None
        if cell["type"] != self.type:
            self.fill(cell["type"])
        strides = [stride * dtype.itemsize for stride in cell["strides"]]
        stride_tricks = self.module.lib.stride_tricks
        whole = self.memory[: self.memory.size // dtype.itemsize * dtype.itemsize].view(dtype)
        x = stride_tricks.as_strided(whole, cell["shape"], strides)
        axis, operation = cell["axis"], cell["operation"]
        shape = cell["shape"] if operation == "inclusive_scan" else [n for i, n in enumerate(cell["shape"]) if i != axis]
        size = int(result.itemsize)
        for n in shape:
            size *= n
        out = self.results[:size].view(result).reshape(shape)
        calls = {
            "sum": lambda: self.module.sum(x, axis=axis, out=out),
            "mean": lambda: self.module.mean(x, axis=axis, out=out),
            "variance": lambda: self.module.var(x, axis=axis, out=out),
            "two_norm": lambda: self.module.linalg.norm(x, axis=axis),
            "maximum": lambda: self.module.max(x, axis=axis, out=out),
            "minimum": lambda: self.module.min(x, axis=axis, out=out),
            "inclusive_scan": lambda: self.module.cumsum(x, axis=axis, out=out),
        }
        return calls[operation]

    def events(self):
        return [self.module.cuda.Event() for _ in range(2)]

    def milliseconds(self, begin, end):
        return self.module.cuda.get_elapsed_time(begin, end)


class Torch:
    on_gpu = True

    def __init__(self, module, most_bytes):
        self.module = module
        self.memory = module.empty(most_bytes, dtype=module.uint8, device="cuda")
        self.results = module.empty(most_bytes, dtype=module.uint8, device="cuda")
        self.type = None

    def fill(self, name):
        self.type = name
        data = self.memory.view(getattr(self.module, name))
        if data.dtype.is_floating_point:
            data.uniform_()
        else:
            data.random_(0, 128 if data.dtype.itemsize == 1 else 1 << 20 if data.dtype.itemsize > 2 else 32768)

    def prepare(self, cell):
        torch = self.module
        dtype, result = getattr(torch, cell["type"], None), getattr(torch, cell["result"], None)
        if dtype is None or result is None:
            return None
        if cell["type"] != self.type:
            self.fill(cell["type"])
        x = self.memory.view(dtype).as_strided(cell["shape"], cell["strides"])
        axis, operation = cell["axis"], cell["operation"]
        shape = cell["shape"] if operation == "inclusive_scan" else [n for i, n in enumerate(cell["shape"]) if i != axis]
        size = result.itemsize
        for n in shape:
            size *= n
        out = self.results[:size].view(result).view(shape)
        calls = {
            "sum": lambda: torch.sum(x, axis, dtype=result, out=out),
            "mean": lambda: torch.mean(x, axis, dtype=result, out=out),
            "variance": lambda: torch.var(x, axis, correction=0, out=out),
            "two_norm": lambda: torch.linalg.vector_norm(x, dim=axis, out=out),
            "maximum": lambda: torch.amax(x, axis, out=out),
            "minimum": lambda: torch.amin(x, axis, out=out),
            "inclusive_scan": lambda: torch.cumsum(x, axis, dtype=result, out=out),
        }
        return calls[operation]

    def events(self):
        return [self.module.cuda.Event(enable_timing=True) for _ in range(2)]

    def milliseconds(self, begin, end):
        return begin.elapsed_time(end)


def time_on_cpu(call, calls):
    """The thread's own time: NumPy takes one thread."""
    start = time.thread_time_ns()
    for _ in range(calls):
        call()
    return (time.thread_time_ns() - start) / calls


def time_on_gpu(peer, call, calls):
    begin, end = peer.events()
    if calls > 1:
        call()  # keeps the GPU busy until all is queued
    begin.record()
    for _ in range(calls):
        call()
    end.record()
    end.synchronize()
    return peer.milliseconds(begin, end) * 1e6 / calls


def main():
    package, most_bytes = sys.argv[1], -(-int(sys.argv[2]) // 64) * 64 + 64
    warnings.simplefilter("ignore")
    module = importlib.import_module(package)
    peer = Torch(module, most_bytes) if package == "torch" else NumPy(module, most_bytes)
    if package == "numpy":
        module.seterr(all="ignore")

    def measure(call, calls):
        return time_on_gpu(peer, call, calls) if peer.on_gpu else time_on_cpu(call, calls)

    print(package, module.__version__, flush=True)
    call, calls = None, 1
    for line in sys.stdin:
        if line == "run\n":
            print(measure(call, calls), flush=True)
            continue
        try:
            call = peer.prepare(json.loads(line))
            if call is not None:
                call()
        except (RuntimeError, NotImplementedError, TypeError, ValueError, KeyError, MemoryError) as error:
            print("grid_peer.py:", line.strip(), str(error).splitlines()[0], file=sys.stderr)
            call = None
        if call is None:
            print("none", flush=True)
            continue
        calls, shortest = 1, 2e6 if peer.on_gpu else 1e6
        while calls < 1 << 20 and measure(call, calls) * calls < shortest:
            calls *= 2
        print("ready", flush=True)


if __name__ == "__main__":
    main()
