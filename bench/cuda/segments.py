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
values = torch.rand(size, device="cuda") - 0.5
for kind in "random", "sorted":
    for count in 1_000_000, 1000:
        keys = torch.randint(0, count, (size,), device="cuda")
        if kind == "sorted":
            keys = keys.sort().values
        out = torch.zeros(count, device="cuda")
        ms = median_ms(lambda: out.zero_().index_add_(0, keys, values))
        print(f"group sums of {size} floats, {count} {kind} keys: PyTorch index_add {ms:8.3f} ms")
