#!/usr/bin/env python3
"""Sums along axis 0 of .npy files, beside NumPy.

    bench/axis_files.py [--foldline build/release/cli/foldline] [--gigabytes 2] [--rounds 5] [--folder /tmp]

Makes one file at a time, of normal numbers: N rows of 4, 64 and 16384 columns, and 4 rows of N, float64 and float32; each is in the
system's cache when it is measured. Prints for each, in seconds and as the least of the rounds, in which contestants take turns:

  numpy     np.load(mmap_mode="r").sum(axis=0) within this process, which has started already
  reading   a loop that reads the file in windows of 16 MiB into the same memory
  foldline  the whole command, foldline sum FILE --axis 0 --threads 1 -o -, from its start to its end, results to nowhere
  file      the same with -o OUT.npy; the command waits until the results are on the disk
  bound     1.2 times numpy or 1.1 times reading, whichever is more
  memory    most that the command had in memory, in MB (resident, shared pages included)

Further columns are the seconds of processor of numpy and foldline, which other processes on the machine disturb less.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy

LAUNCHER = """import os, subprocess, sys, time
start = time.perf_counter()
_, status, usage = os.wait4(subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL).pid, 0)
print(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3)
sys.exit(os.waitstatus_to_exitcode(status))"""


def command(*arguments):
    """Seconds, seconds of processor and megabytes. Started by a small process, whose own size it would inherit."""
    done = subprocess.run([sys.executable, "-c", LAUNCHER, *arguments], stdout=subprocess.PIPE, check=True)
    return tuple(map(float, done.stdout.split()))


def timed(work):
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def make(path, shape, dtype):
    generator = numpy.random.default_rng(1)
    block = generator.standard_normal(2**20, dtype)
    with open(path, "wb") as file:
        numpy.lib.format.write_array_header_1_0(file, {"descr": numpy.dtype(dtype).str, "fortran_order": False, "shape": shape})
        left = shape[0] * shape[1]
        while left > 0:
            generator.shuffle(block[:4096])
            file.write(block[: min(left, len(block))])
            left -= len(block)


def read(path):
    window = bytearray(16 << 20)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(window):
            pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--foldline", default="build/release/cli/foldline")
    parser.add_argument("--gigabytes", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", default=tempfile.gettempdir())
    options = parser.parse_args()
    print(f"{'':8} {'rows':>10} {'columns':>10} {'numpy':>7} {'reading':>7} {'foldline':>8} {'file':>7} {'bound':>7} {'memory':>7}  cpu: numpy foldline")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path, out = os.path.join(folder, "x.npy"), os.path.join(folder, "out.npy")
        for dtype in (numpy.float64, numpy.float32):
            elements = int(options.gigabytes * 2**30) // numpy.dtype(dtype).itemsize
            for shape in ((elements // 4, 4), (elements // 64, 64), (elements // 16384, 16384), (4, elements // 4)):
                make(path, shape, dtype)
                rounds = []
                for _ in range(options.rounds):
                    sums = ("sum", path, "--axis", "0", "--threads", "1", "-o")
                    rounds.append(timed(lambda: numpy.load(path, mmap_mode="r").sum(axis=0)) + timed(lambda: read(path))[:1] +
                                  command(options.foldline, *sums, "-") + command(options.foldline, *sums, out)[:1])
                    os.remove(out)
                numpy_s, numpy_cpu, reading, foldline_s, foldline_cpu, memory, to_file = map(min, zip(*rounds))
                bound = max(1.2 * numpy_s, 1.1 * reading)
                print(f"{numpy.dtype(dtype).name:8} {shape[0]:10} {shape[1]:10} {numpy_s:7.3f} {reading:7.3f} {foldline_s:8.3f} {to_file:7.3f} "
                      f"{bound:7.3f} {memory:7.0f} {numpy_cpu:11.3f} {foldline_cpu:8.3f}", flush=True)


if __name__ == "__main__":
    main()
