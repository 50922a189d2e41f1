#!/usr/bin/env python3
"""foldline beside PyTorch on a GPU: reductions along both axes of matrices, one line for each, the slowest first.

    axis_grid.py build/bench/cuda/axis-grid [--mebibytes 256] [--json FILE]

The program measures foldline and plain reading; then this measures PyTorch for the same shapes, in the same way: medians of
batches of calls that are queued one by one. Shapes are scaled up until they have as many MiB as asked for.
"""

import argparse
import json
import statistics
import subprocess
import sys

try:
    import torch
except ImportError:
    sys.exit("axis_grid.py: this Python has no PyTorch")

OPERATIONS = {
    "sum": lambda x, axis, out: torch.sum(x, axis, out=out),
    "mean": lambda x, axis, out: torch.mean(x, axis, out=out),
    "variance": lambda x, axis, out: torch.var(x, axis, correction=0, out=out),
    "two_norm": lambda x, axis, out: torch.linalg.vector_norm(x, dim=axis, out=out),
    "maximum": lambda x, axis, out: torch.amax(x, axis, out=out),
}
ROUNDS, CALLS = 7, 10


def median_time(call):
    """Of a call, in nanoseconds."""
    for _ in range(2):
        call()
    times = []
    for _ in range(ROUNDS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        call()
        begin.record()
        for _ in range(CALLS):
            call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e6 / CALLS)
    return statistics.median(times)


def add_peer(rows):
    """Adds PyTorch's time to each row."""
    numbers = None
    for row in rows:
        dtype = getattr(torch, row["type"])
        size = row["rows"] * row["columns"]
        if numbers is None or numbers.dtype != dtype or numbers.numel() < size:
            numbers = None
            numbers = torch.randn(size, dtype=dtype, device="cuda")
        x = numbers[:size].view(row["rows"], row["columns"])
        out = torch.empty(x.shape[1 - row["axis"]], dtype=dtype, device="cuda")
        row["torch_ns"] = median_time(lambda: OPERATIONS[row["operation"]](x, row["axis"], out))
        row["bytes"] = size * dtype.itemsize


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="axis-grid, as built")
    parser.add_argument("--mebibytes", type=int, default=256)
    parser.add_argument("--json", help="a file for all rows")
    options = parser.parse_args()
    run = subprocess.run([options.program, str(options.mebibytes)], stdout=subprocess.PIPE, text=True, check=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    roofs = {line["type"]: line["read_bytes"] / line["ns"] for line in lines if "read_bytes" in line}
    rows = [line for line in lines if "axis" in line]
    add_peer(rows)
    for row in rows:
        row["gigabytes_per_second"] = row["bytes"] / row["ns"]
        row["of_read_roof"] = row["gigabytes_per_second"] / roofs[row["type"]]
        row["of_torch"] = row["torch_ns"] / row["ns"]
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "roofs": roofs, "rows": rows}, file)
    print(torch.cuda.get_device_name(), "read roofs, GB/s:", {of: round(roof) for of, roof in roofs.items()})
    print(f"{'type':9}{'operation':10}{'rows':>9} x {'columns':>9} axis    us  GB/s roof torch")
    for row in sorted(rows, key=lambda row: row["of_torch"]):
        print(f"{row['type']:9}{row['operation']:10}{row['rows']:9} x {row['columns']:9} {row['axis']:4}{row['ns'] / 1e3:7.0f}"
              f"{row['gigabytes_per_second']:6.0f} {row['of_read_roof']:4.2f} {row['of_torch']:5.2f}")


if __name__ == "__main__":
    main()
