#!/usr/bin/env python3
"""`check`: nothing is found in right kernels, which are no rungs; each kind of fault is, with its line.

A kernel that needs other arguments than n says so in its second line: `// check: OPTIONS`. LADDER is the program.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from sampled import SampledTest, sampled  # noqa: E402

LADDER = os.environ["LADDER"]
KERNELS = pathlib.Path(__file__).parent / "kernels"


def check(file, *options):
    return subprocess.run([LADDER, "check", file, *options], capture_output=True, text=True, timeout=300)


def check_source(source, *options):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "kernel.cu"
        file.write_text(source)
        return check(file, *options)


def options_of(source):
    found = re.search(r"^// check: (.*)$", source, re.MULTILINE)
    return found[1].split() if found else []


class RightKernels(unittest.TestCase):
    def test_nothing_is_found(self):
        names = sorted(file.name for file in KERNELS.glob("*.cu"))
        self.assertGreaterEqual(len(names), 30)
        files = [KERNELS / name for name in sampled(names)]
        with ThreadPoolExecutor(2) as pool:
            results = pool.map(lambda file: check(file, *options_of(file.read_text())), files)
        for file, done in zip(files, results):
            with self.subTest(file.name):
                self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    def test_in_other_sizes(self):
        for name, options in (("saxpy", ["--n", "1"]), ("scan_hillis_steele", ["--n", "255"]), ("histogram_shared", ["--n", "3000", "--block", "96"])):
            with self.subTest(name):
                done = check(KERNELS / f"{name}.cu", *options)
                self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))


class Faults(SampledTest):
    """Faults put into right kernels."""

    def found(self, name, kind, culprit, *replaced):
        source = (KERNELS / f"{name}.cu").read_text()
        for old, new in replaced:
            self.assertEqual(source.count(old), 1, old)
            source = source.replace(old, new)
        self.assertEqual(source.count(culprit), 1, culprit)
        line = source[:source.index(culprit)].count("\n") + 1
        done = check_source(source, *options_of(source))
        self.assertRegex(done.stdout, rf"(?m)^\S*kernel\.cu:{line}: error: {kind}: ", done.stderr)
        self.assertEqual((done.stdout.count("\n"), done.returncode), (1, 1))

    def test_one_past_the_end(self):
        self.found("saxpy", "out of bounds", "y[i] = a * x[i]", ("i < n", "i <= n"))

    def test_no_bound_at_all(self):
        self.found("saxpy", "out of bounds", "y[i] = a * x[i]", ("if (i < n) y[i]", "y[i]"))

    def test_shared_array_overrun(self):
        self.found("stencil_halo", "out of bounds", "part[local + BLOCK] =", ("part[BLOCK + 2 * RADIUS]", "part[BLOCK + RADIUS]"))

    def test_uninitialised_halo(self):
        self.found("stencil_halo", "uninitialised", "sum += part[local + k]", ("if (threadIdx.x < RADIUS)", "if (threadIdx.x < RADIUS - 1)"))

    def test_missing_barrier(self):
        self.found("stencil_halo", "race|uninitialised", "sum += part[local + k]", ("  __syncthreads();\n", ""))

    def test_missing_syncwarp(self):
        self.found("warp_synchronous", "race", "buffer[t] = value += other", ("value += other;\n      __syncwarp();", "value += other;"))

    def test_barrier_in_a_branch(self):
        self.found("template_block_size", "barrier", "buffer[t + s], __syncthreads();",
                   ("buffer[t + s];\n    __syncthreads();", "buffer[t + s], __syncthreads();"))

    def test_race_between_blocks(self):
        self.found("histogram_global", "race", "bins[values[i]] += 1;", ("atomicAdd(bins + values[i], 1);", "bins[values[i]] += 1;"))

    def test_lock_without_its_fence(self):
        self.found("spin_lock", "race", "*total = *total + sum;", ("  __threadfence();\n  atomicExch", "  atomicExch"))

    def test_flag_without_its_fence(self):
        self.found("producer_consumer", "race", "out[i] = data[threadIdx.x];", ("      __threadfence();\n      *flag = 1;", "      *flag = 1;"))

    def test_flag_without_the_fences_of_all(self):
        self.found("fences_by_all", "race", "out[i] = data[threadIdx.x];", ("    __threadfence();\n    __syncthreads();\n    if (threadIdx.x == 0) atomicExch", "    __syncthreads();\n    if (threadIdx.x == 0) atomicExch"))
        self.found("fences_by_all", "race", "out[i] = data[threadIdx.x];", ("    __threadfence();\n    __syncthreads();\n    if (threadIdx.x == 0) atomicExch", "    if (threadIdx.x == 0) __threadfence();\n    __syncthreads();\n    if (threadIdx.x == 0) atomicExch"))

    def test_deadlock(self):
        self.found("ticket_lock", "deadlock", "while (*serving != turn)", ("*serving = turn + 1;", "serving[1] = turn + 1;"))

    def test_mask_without_all_lanes(self):
        self.found("ballot_compaction", "mask", "__ballot_sync(0xffffffff, keep)",
                   ("  bool keep", "  if (i >= n) return;\n  bool keep"))

    def test_host_pointer(self):
        self.found("saxpy", "host pointer", "y[i] = a * x[i]", ("  int i =", "  x = nullptr;\n  int i ="))


class CommandLine(SampledTest):
    TWO = "__global__ void good(int* a, int n) { if (threadIdx.x == 0 && blockIdx.x == 0) *a = n; }\nnamespace b {\n" \
          "template <class T, int B>\n__global__ void bad(T* a) { a[blockIdx.x * B] = threadIdx.x; }\n}\n"

    def test_one_kernel_of_several(self):
        self.assertEqual(check_source(self.TWO, "--kernel", "good").returncode, 0)
        for name in ("bad", "b::bad", "bad<int, 64>"):
            done = check_source(self.TWO, "--kernel", name)
            self.assertRegex(done.stdout, r"kernel\.cu:4: error: race: ", done.stderr)
        done = check_source(self.TWO, "--kernel", "ugly")
        self.assertIn("it has good, b::bad", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_all_kernels(self):
        done = check_source(self.TWO)
        self.assertEqual((done.stdout.count("error:"), done.returncode), (1, 1))

    def test_a_kernel_that_hangs_leaves_the_others(self):
        done = check_source("__global__ void hangs(int* a) { for (;;) a[threadIdx.x] = a[threadIdx.x] + 1; }\n__global__ void bad(int* a, int n) { a[n] = 1; }\n",
                            "--time-limit", "2")
        self.assertRegex(done.stderr, r"\Afoldline-ladder: \S*kernel\.cu:1: hangs was ended after 2 s \(--time-limit\)\n\Z")
        self.assertRegex(done.stdout, r"\A\S*kernel\.cu:2: error: out of bounds: .*\n\Z")
        self.assertEqual(done.returncode, 1)

    def test_no_kernel(self):
        done = check_source("int main() {}")
        self.assertIn("__global__", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_values(self):
        source = "__global__ void k(float* a, int count) { for (int i = threadIdx.x; i < count; i += 256) atomicAdd(a + i, 1.0f); }"
        self.assertEqual(check_source(source, "--set", "count=10", "--set", "a=10").returncode, 0)
        self.assertEqual(check_source(source, "--set", "count=11", "--set", "a=10").returncode, 1)
        self.assertEqual(check_source(source, "--set", "count").returncode, 2)
        done = check_source(source, "--set", "cuont=3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--set cuont=3: no kernel has such a parameter; there are a, count", done.stderr)
        self.assertEqual(check_source(source, "--block", "3x").returncode, 2)

    def test_a_mistake_of_the_language(self):
        done = check_source("\n__global__ void k(int* a) { a[0] = b; }")
        self.assertIn("kernel.cu:2:", done.stderr)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
