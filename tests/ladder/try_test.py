#!/usr/bin/env python3
"""`new` and `try`: each problem's starting file is right, and solutions that are wrong are told so. LADDER is the program."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from sampled import SampledTest  # noqa: E402

LADDER = os.environ["LADDER"]
# A rung beside it, and a size that is counted in no time.
PROBLEMS = {
    "reduce": ["--rung", "interleaved-pairs", "--n", "5000"],
    "dot": ["--rung", "warp-shuffles", "--n", "5000"],
    "column-sums": ["--rung", "one-thread-per-column", "--rows", "500", "--columns", "32"],
    "scan": ["--rung", "one-warp", "--n", "5000"],
    "matmul": ["--rung", "one-thread-per-entry", "--n", "32"],
    "quadrature": ["--rung", "midpoint", "--n", "5000"],
}


def run(*arguments, folder=None):
    return subprocess.run([LADDER, *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=folder)


class New(SampledTest):
    def test_what_new_writes_is_right(self):
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
            for problem in PROBLEMS:
                done = run("new", problem, folder=folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"foldline ladder try {problem} my_{problem}.cu", done.stdout)
            tries = {problem: pool.submit(run, "try", problem, f"my_{problem}.cu", *options, folder=folder) for problem, options in PROBLEMS.items()}
            for problem, future in tries.items():
                done = future.result()
                self.assertEqual((done.returncode, done.stderr), (0, ""), (problem, done.stdout))
                self.assertRegex(done.stdout, r"\Aright at all of \d+ awkward sizes, without a finding\n")
                rung = PROBLEMS[problem][1]
                types = 2 if problem in ("dot", "matmul", "quadrature") else 1
                # Slower than the rung, so in front of it, with its columns.
                rows = re.findall(rf"(?m)^my_{problem}\.cu \(yours\) .* (\d+) of \1 values correct\n{rung} ", done.stdout)
                self.assertEqual(len(rows), types, done.stdout)
                self.assertEqual(done.stdout.count(f"Yours is kernel 1 of 2, in front of {rung}, "), types)

    def test_nothing_is_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.cu"
            path.write_text("mine")
            done = run("new", "scan", path)
            self.assertEqual((done.returncode, path.read_text()), (1, "mine"))
            self.assertIn(f"{path} exists, and is left as it is", done.stderr)
            done = run("new", "scan", pathlib.Path(folder) / "none" / "mine.cu")
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot be written: No such file or directory", done.stderr)

    def test_problems_that_are_no_task(self):
        for command in (["new", "memory"], ["try", "barrier", __file__]):
            done = run(*command)
            self.assertEqual(done.returncode, 2)
            self.assertIn("no single task that a file could solve; these are: reduce, dot, column-sums, scan, matmul, quadrature", done.stderr)
        self.assertIn("did you mean 'reduce'?", run("new", "redcue").stderr)


# A right sum by a tree in shared memory, into which faults are put.
TREE = """__global__ void add(const int* x, int n, int* sum) {
  __shared__ int part[256];
  int total = 0;
  for (int i = threadIdx.x; i < n; i += 256) total += x[i];
  part[threadIdx.x] = total;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = part[0];
}
void solve(int* x, int n, int* sum) {
  add<<<1, 256>>>(x, n, sum);
}
"""


class Wrong(SampledTest):
    """Exit status 1, and the reason."""

    def attempt(self, problem, source, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.cu"
            path.write_text(source)
            return run("try", problem, path, *PROBLEMS[problem], *options)

    def tree(self, message, *replaced, options=()):
        source = TREE
        for old, new in replaced:
            self.assertEqual(source.count(old), 1, old)
            source = source.replace(old, new)
        done = self.attempt("reduce", source, *options)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout + done.stderr, message)
        return done

    def test_the_tree_itself_is_right(self):
        done = self.attempt("reduce", TREE, "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(done.stdout[done.stdout.index("{"):])["reports"][0]
        mine = next(rung for rung in report["rungs"] if rung["kind"] == "yours")
        self.assertEqual((mine["status"], mine["counts"]["barriers"]), ("ok", 8 * 9))

    def test_one_too_few(self):
        done = self.tree(r"(?m)^n 513: wrong: the sum is \d+, not \d+$", ("i < n;", "i < n - 1;"))
        self.assertIn("wrong at 4 of 5 awkward sizes", done.stdout)

    def test_one_too_many(self):
        self.tree(r"(?m)^n 513: failed: \S*mine\.cu:4: error: out of bounds: ", ("i < n;", "i <= n;"))

    def test_missing_barrier(self):
        self.tree(r"(?m)^n 513: failed: \S*mine\.cu:7: error: race: .*no __syncthreads", ("  part[threadIdx.x] = total;\n  __syncthreads();", "  part[threadIdx.x] = total;"))

    def test_race_between_blocks(self):
        self.tree(r"mine\.cu:11: error: race: ", ("<<<1, 256>>>", "<<<2, 256>>>"), ("*sum = part[0]", "*sum = part[0] + blockIdx.x"))

    def test_no_result(self):
        self.tree(r"(?m)^n 0: wrong: the sum is -1515870811, not 0$", ("*sum = part[0]", "part[0] = 0"))

    def test_a_launch_that_is_refused(self):
        self.tree(r"(?m)^n 31: failed: \S*mine\.cu:14: error: launch: .*2048 threads", ("<<<1, 256>>>", "<<<1, 2048>>>"))

    def test_hang(self):
        self.tree(r"(?m)^n 513: timed out: ended after 2 s$", ("  int total = 0;", "  int total = 0;\n  while (n > 31) total += x[0];"), options=("--time-limit", 2))

    def test_deadlock(self):
        self.tree(r"(?m)^n 1: failed: \S*mine\.cu:4: error: deadlock: ", ("  int total = 0;", "  int total = 0;\n  while (*(volatile int*)x >= 0) {}"))

    def test_crash(self):
        self.tree(r"(?m)^n 513: crashed: ended by a signal: Segmentation fault$", ("  add<<<1", "  if (n > 31) *(volatile int*)0 = 1;\n  add<<<1"))

    def test_host_code_that_reads_memory_of_the_device(self):
        done = self.tree(r"(?m)^n 0: crashed: ended with exit status 1$", ("  add<<<1", "  x[0] = 1;\n  add<<<1"))
        self.assertRegex(done.stderr, r"(?m)^\S*mine\.cu:14: error: device pointer: host code (writes|reads or writes) byte 0 of ")

    def test_sums_that_are_too_large_for_an_int(self):
        done = run("try", "reduce", __file__, "--n", "2^25")
        self.assertEqual((done.returncode, done.stderr), (2, "foldline-ladder: try reduce takes 16777216 elements at most\n"))

    def test_memory(self):
        self.tree(r"(?m)^n 0: crashed: ended: it took more than 300 MiB of memory$", ("void solve", "#include <vector>\nvoid solve"),
                  ("  add<<<1", "  std::vector<int> v;\n  for (;;) v.resize(2 * v.size() + 1);\n  add<<<1"), options=("--memory-limit", 300))

    def test_what_does_not_compile(self):
        done = self.tree(r"mine\.cu:4: error: use of undeclared identifier 'y'", ("total += x[i]", "total += y[i]"))
        self.assertEqual(done.stdout, "")

    def test_no_solve(self):
        for declaration in ("int answer(int* x, int n, int* sum)", "void solve(int* x, int n)"):
            done = self.tree(r"mine\.cu defines no `void solve\(int\* x, int n, int\* sum\)`; `foldline ladder new reduce`",
                             ("void solve(int* x, int n, int* sum)", declaration), ("  add<<<1, 256>>>(x, n, sum);\n", "  return;\n" if "void" in declaration else "  return 0;\n"))
            self.assertEqual(done.stdout, "")

    def test_no_clang(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.cu"
            path.write_text(TREE)
            done = subprocess.run([LADDER, "try", "reduce", path], capture_output=True, text=True, env={"PATH": folder})
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))
        self.assertIn("need clang 16 or newer", done.stderr)

    def test_one_type_of_two(self):
        source = "__global__ void add(const float* x, const float* y, int n, float* r) { float s = 0; for (int i = 0; i < n; ++i) s += x[i] * y[i]; *r = s; }\n" \
                 "void solve(const float* x, const float* y, int n, float* r) { add<<<1, 1>>>(x, y, n, r); }\n"
        done = self.attempt("dot", source)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("right at all of 5 awkward sizes", done.stdout)
        self.assertNotIn("doubles", done.stdout)

    def test_the_first_wrong_index(self):
        source = "__global__ void copy(const int* x, int n, int* sums) { for (int i = 0; i < n; ++i) sums[i] = i < 4 ? 0 : x[i]; }\n" \
                 "void solve(const int* x, int n, int* sums) { copy<<<1, 1>>>(x, n, sums); }\n"
        done = self.attempt("scan", source)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^n 33: wrong: sum [0-3] is 0, not -?[1-9]\d*$")


if __name__ == "__main__":
    unittest.main()
