"""segments.py [MILLIONS OF VALUES]: PyTorch's index_add of as many floats and keys as segments-bench groups; needs a GPU."""
import sys

import torch


def median_ms(call):
    times = []
    for round_ in range(12):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        if round_ > 1:
            times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


size = int(sys.argv[1] if len(sys.argv) > 1 else 40) * 1_000_000
fractions = torch.rand(size, device="cuda", dtype=torch.float64)
for type_ in torch.float32, torch.float64, torch.int64:
    is_integer = type_ == torch.int64
    values = torch.randint(-(2**60), 2**60, (size,), device="cuda") if is_integer else torch.rand(size, device="cuda", dtype=type_) - 0.5
    for kind in "random", "sorted", "power-law":
        for count in 10_000_000, 1_000_000, 100_000, 1000:
            keys = (count**fractions - 1 if kind == "power-law" else fractions * count).to(torch.int64)
            if kind == "sorted":
                keys = keys.sort().values
            out = torch.zeros(count, device="cuda", dtype=type_)
            ms = median_ms(lambda: out.zero_().index_add_(0, keys, values))
            print(f"group sums of {size} {type_}, {count} {kind} keys: PyTorch index_add {ms:8.3f} ms")
