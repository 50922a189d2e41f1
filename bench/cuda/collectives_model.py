#!/usr/bin/env python3
"""Fits the times of all-reduces on some GPUs of a host, and carries them to more, on paper.

    bench/cuda/collectives_model.py RECORD OUT [MEASURED]      of records/nvidia-GPU-x2-collectives.json, and how far off that is on the GPUs of MEASURED

An array of m bytes on P GPUs: t = alpha + 2 m (P - 1) / P / rate. Each GPU's links carry (P - 1) / P of the array out and in twice, whatever P is; alpha has
the launch and the ranks' messages, which go to all at once. Least squares of relative errors, from 64 KiB on.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mpi"))
from model import fit  # noqa: E402

WAYS = ("NCCL", "peers", "messages")
SIZES = {"64 KiB": 1 << 16, "1 MiB": 1 << 20, "64 MiB": 1 << 26, "1 GiB": 1 << 30}


def terms(size, gpus):
    return [1, 2 * size * (gpus - 1) / gpus]


def times(record, of_type, way):
    """Sizes, numbers of GPUs and seconds of all-reduces of one array a GPU."""
    return [(row["bytes"], row["gpus"], row["us"][way] * 1e-6) for run in record["runs"] for row in run["rows"]
            if row["what"] == "arrays" and row["type"] == of_type and way in row["us"]]


def main():
    record, *measured = (json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:2] + sys.argv[3:])
    found = {}
    for of_type in ("float32", "bfloat16"):
        for way in WAYS:
            known = times(record, of_type, way)
            (alpha, beta), error = fit([terms(size, gpus) for size, gpus, _ in known], [time for *_, time in known])
            name = f"{of_type}, {way}"
            found |= {f"{name}: alpha, us": alpha * 1e6, f"{name}: GB/s": 1e-9 / beta, f"{name}: error": error}
            for label, size in SIZES.items():
                found[f"{name}: {label} on 8 GPUs, us"] = 1e6 * sum(a * b for a, b in zip(terms(size, 8), (alpha, beta)))
            for more in measured:
                off = [abs(sum(a * b for a, b in zip(terms(size, gpus), (alpha, beta))) / time - 1) for size, gpus, time in times(more, of_type, way)]
                found[f"{name}: off on {more['gpu']}"] = max(off)
    numbers = {name: float(f"{value:.4g}") for name, value in found.items()}
    text = json.dumps({"command": "bench/cuda/collectives_model.py", "gpu": record["gpu"], "measured": record["date"], **numbers}, indent=1)
    pathlib.Path(sys.argv[2]).write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
