"""What calls with arrays in the memory of a GPU take, beside those of their libraries: printed, not judged."""
import math
import timeit

import numpy as np

import foldline as fl
from gpu_arrays import cupy, given, torch


def test_call_times(capsys):
    x = torch.ones(10, device="cuda", dtype=torch.float64)
    names = {"fl": fl, "torch": torch, "x": x, "m": x.view(2, 5), "c": cupy.ones(10), "j": given("jax", np.ones(10))}
    names |= {"i": x.view(2, 5).int(), "w": x.view(5, 2), "t": x > 0, "large": torch.ones(1000, 1000, device="cuda")}
    calls = ("fl.sum(x)", "torch.sum(x)", "fl.mean(x)", "fl.vector_norm(x)", "torch.linalg.vector_norm(x)", "fl.sum(m, axis=0)",
             "torch.sum(m, axis=0)", "fl.sum(m, axis=1)", "torch.sum(m, axis=1)", "fl.sum(w, axis=0)", "fl.max(i, axis=0)",
             "torch.amax(i, axis=0)", "fl.sum(large, axis=0)", "torch.sum(large, axis=0)", "fl.sum(x, where=t)", "torch.sum(x[t])",
             "fl.sum(c)", "c.sum()", "fl.sum(j)", "j.sum()")
    number = 1000  # few enough for the queue of the stream
    best = dict.fromkeys(calls, math.inf)
    for _ in range(15):
        for name in calls:  # by turns, so that all have the clocks' best
            best[name] = min(best[name], timeit.timeit(name, globals=names, number=number))
            torch.cuda.synchronize()
    lines = [f"{best[name] / number * 1e6:8.2f} us  {name}" for name in calls]
    with capsys.disabled():
        print("\n10 elements, a call without waiting:\n" + "\n".join(lines))
    masked = torch.randn(1 << 26, device="cuda", dtype=torch.float64)
    taken = masked > 0
    names |= {"large": masked, "taken": taken}
    for call in ("fl.sum(large)", "fl.sum(large, where=taken)", "torch.sum(large[taken])", "fl.nansum(large)", "torch.nansum(large)"):
        best = math.inf
        for _ in range(5):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            eval(call, names)
            end.record()
            torch.cuda.synchronize()
            best = min(best, begin.elapsed_time(end))
        with capsys.disabled():
            print(f"{best:8.3f} ms  {call}, 2^26 doubles")
    large = torch.randn(1 << 28, device="cuda", dtype=torch.float64)
    for function in (fl.sum, torch.sum):
        function(large)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(10):
            function(large)
        end.record()
        torch.cuda.synchronize()
        with capsys.disabled():
            print(f"{10 * large.nbytes / begin.elapsed_time(end) / 1e6:8.0f} GB/s  {function.__module__}.{function.__name__}, 2^28 doubles")
