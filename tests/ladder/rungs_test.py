"""Every rung at awkward sizes: rungs_test.py [PROBLEM ...]. LADDER is the program that simulates, or the one for a GPU: then the exit
status is 77, which ctest reports as skipped, where there is none."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from sampled import sampled  # noqa: E402

LADDER = os.environ["LADDER"]
ON_GPU = LADDER.endswith("-cuda")


def sizes(*numbers):
    return [["--n", n] for n in numbers]


def blocks(size):
    return [["--n", size, "--block", block] for block in (32, 1024)]


def shapes(*pairs):
    return [["--rows", rows, "--columns", columns] for rows, columns in pairs]


def products(*triples):
    return [["--rows", rows, "--inner", inner, "--columns", columns] for rows, inner, columns in triples]


def integrals(*numbers):
    return [["--n", n, "--function", function] for n in numbers for function in ("reciprocal", "root", "damped")]


# None, one, less than a warp, less than a block, one more than that, odd, many blocks; what fits in constant memory or a CUDA
# array and what does not; matrices with fewer rows than slices, and with more columns than a block has threads; products whose
# rows begin at multiples of 16 bytes or not, of one tile, of parts of tiles, and of more than are compared; even and odd numbers
# of intervals.
CASES_ON_GPU = {
    "reduce": sizes(0, 1, 31, 513, 1000003) + blocks(100003),
    "dot": sizes(0, 1, 257, 4097, 131073) + blocks(100003),
    "column-sums": shapes((0, 8), (1, 1), (8, 0), (7, 3), (1000, 8), (1001, 65), (16387, 32), (3, 5000), (257, 700)),
    "scan": sizes(0, 1, 33, 513, 4097, 1000003) + blocks(100003),
    "matmul": products((0, 3, 4), (3, 4, 0), (5, 0, 7), (1, 1, 1), (37, 45, 150), (128, 16, 128), (129, 132, 132), (1000, 515, 700))
    + [["--n", 100, "--block", 64]],
    "quadrature": integrals(1, 2, 31, 4098, 1000003) + [["--n", 100002, "--function", "damped", "--block", block] for block in (32, 1024)],
    "memory": sizes(0, 1, 100003),
    "barrier": sizes(0, 1, 1000003),
}
# The same kinds of sizes, and no more than the simulator takes seconds for.
CASES_SIMULATED = {
    "reduce": sizes(0, 1, 31, 513, 20011) + blocks(10007),
    "dot": sizes(0, 1, 257, 4097) + sizes(8193) + blocks(10007),
    "column-sums": shapes((0, 8), (1, 1), (8, 0), (7, 3), (1000, 8), (1001, 65), (3, 200), (257, 70)),
    "scan": sizes(0, 1, 33, 513, 4097, 20011) + blocks(10007),
    "matmul": products((0, 3, 4), (3, 4, 0), (5, 0, 7), (1, 1, 1), (37, 45, 150), (128, 16, 128)) + [["--n", 36, "--block", 64]],
    "quadrature": integrals(1, 2, 31, 4098) + [["--n", 10002, "--function", "damped", "--block", block] for block in (32, 1024)],
    "memory": sizes(0, 1, 10007),
    "barrier": sizes(0, 1, 10007),
}
CASES = CASES_ON_GPU if ON_GPU else CASES_SIMULATED

# What no simulator can say, whatever the size.
VENDOR, DEVICE = "the vendor's routine, which needs a GPU", "it measures a real device"
NEVER_SIMULATED = {
    "reduce": {"cub-sum": VENDOR},
    "dot": {"cublas-dot": VENDOR, "cublas-nrm2": VENDOR},
    "column-sums": {"cublas-gemv": VENDOR},
    "scan": {"cub-inclusive-sum": VENDOR},
    "matmul": {"cublas-gemm": VENDOR, "multiply-add-rate": DEVICE, "tensor-core-rate": DEVICE},
    "quadrature": {},
    "memory": {"latencies": DEVICE, "bandwidths": DEVICE, "random-gather": DEVICE, "cache-sizes": DEVICE},
    "barrier": {},
}
PROBLEMS = sys.argv[1:] or list(CASES)


def cases():
    for problem in PROBLEMS:
        for case in CASES[problem]:
            for type in ("float", "double") if problem in ("dot", "matmul", "quadrature") else (None,):
                yield problem, case + (["--type", type] if type else [])


def run(problem, arguments):
    """The exit status, what was printed, and the reports."""
    command = [LADDER, "run", problem, *map(str, arguments), "--rounds", "2", "--json"]
    if not ON_GPU:
        command.append("--simulate")
    elif problem not in ("barrier", "scan"):  # whose mistakes may hang: they need processes of their own, half a second before one can use the GPU
        command.append("--in-process")
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    reports = json.loads(done.stdout)["reports"] if done.stdout else []
    return done.returncode, done.stdout + done.stderr, reports


# What the texts' own programs print, by their own data.
PRINTED = {
    "reduce": (["--rung", "recursive-in-place-on-the-host", "interleaved-pairs", "foldline-sum"], {"sum 2139353471"}),
    "dot": (["--type", "float", "--rung", "products-on-device", "slots-in-shared-memory", "foldline-dot"], {"Result = 1024.00", ""}),
    "memory": (["--rung", "texture-of-an-array", "texture-of-linear-memory"], {"0 2 4 6 8 10 12 14 16 18", "arrays equal"}),
}


class Rungs(unittest.TestCase):
    def test_every_problem_is_here(self):
        listed = subprocess.run([LADDER, "list"], capture_output=True, text=True, check=True).stdout
        problems = {line.split(":")[0] for line in listed.splitlines() if not line.startswith(" ")}
        self.assertEqual(set(CASES), problems)
        self.assertEqual(set(NEVER_SIMULATED), problems)

    def test_every_rung_is_right(self):
        with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count()) if ON_GPU else 1) as pool:
            runs = [(problem, case, pool.submit(run, problem, case)) for problem, case in sampled(list(cases()))]
        for problem, case, future in runs:
            with self.subTest(problem=problem, arguments=case):
                status, text, reports = future.result()
                self.assertEqual(status, 0, text)
                for report in reports:
                    self.check(problem, report)

    def check(self, problem, report):
        never = {} if ON_GPU else NEVER_SIMULATED[problem]
        rungs = {rung["rung"]: rung for rung in report["rungs"] if rung["kind"] != "experiment"}
        if not ON_GPU:
            said = {name: rung["message"] for name, rung in rungs.items() if rung["message"] in (VENDOR, DEVICE)}
            self.assertEqual(said, never)
        statuses = [rung["status"] for name, rung in rungs.items() if name not in never]
        self.assertLessEqual(set(statuses), {"ok", "not here"})
        self.assertGreater(statuses.count("ok"), statuses.count("not here"))

    def test_the_texts_programs_print_what_the_texts_say(self):
        for problem, (arguments, texts) in PRINTED.items():
            if problem not in PROBLEMS:
                continue
            command = [LADDER, "run", problem, "--data", "textbook", *arguments, "--rounds", "1", "--json"]
            done = subprocess.run(command if ON_GPU else [*command, "--simulate"], capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            rungs = [rung for report in json.loads(done.stdout)["reports"] for rung in report["rungs"]]
            self.assertEqual({rung["printed"] for rung in rungs}, texts, problem)

    def test_mistakes_go_wrong(self):
        """Those that do on every GPU, with more blocks than one holds; the simulator says why."""
        # A hang is told once all resident blocks wait: two minutes with the address sanitizer, if they are many.
        for problem, n, rungs in (("barrier", 2**20 if ON_GPU else 2**14, {"barrier-that-hangs": "timed out", "barrier-missing": "wrong"}),
                                  ("scan", 2**20, {"chain-from-the-last-block": "timed out"})):
            if problem not in PROBLEMS:
                continue
            outcomes = rungs if ON_GPU else dict.fromkeys(rungs, "failed")
            _, text, reports = run(problem, ["--n", n, "--rung", *rungs])
            self.assertEqual({rung["rung"]: rung["status"] for rung in reports[0]["rungs"]}, outcomes, text)


if __name__ == "__main__":
    if ON_GPU:
        probe = subprocess.run([LADDER, "run", "reduce", "--n", "1", "--rounds", "1"], capture_output=True, text=True)
        if probe.returncode == 1 and "runs on an NVIDIA GPU, and" in probe.stderr:
            print(probe.stderr.strip())
            sys.exit(77)
    unittest.main(argv=sys.argv[:1])
