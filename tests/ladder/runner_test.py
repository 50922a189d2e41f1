"""The runner and its command line; needs no GPU."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "ladder"


def run(program, *arguments, **environment):
    return subprocess.run([os.environ[program], *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


class Planted(unittest.TestCase):
    def outcomes(self, *arguments):
        done = run("PLANTED", "run", "planted", *arguments, "--rounds", 2, "--time-limit", 1, "--json")
        return done, {rung["rung"]: rung for rung in json.loads(done.stdout)["reports"][0]["rungs"]}

    def test_what_goes_wrong_is_told_and_the_rest_goes_on(self):
        done, rungs = self.outcomes()
        self.assertEqual(done.returncode, 1)
        table = run("PLANTED", "run", "planted", "--rounds", 2, "--time-limit", 1).stdout
        self.assertEqual({name: rung["status"] for name, rung in rungs.items()}, {
            "right": "ok", "wrong": "wrong", "wrong-later": "wrong", "hanging": "timed out", "crashing": "crashed",
            "failing": "failed", "refusing": "not here", "right-again": "ok", "hanging-on-purpose": "timed out"})
        for name, words in (("wrong", "the answer is 41, not 42"), ("hanging", "ended after 1 s"),
                            ("crashing", "Segmentation fault"), ("failing", "no more answers"),
                            ("refusing", "needs a larger universe")):
            self.assertIn(words, rungs[name]["message"])
            self.assertRegex(table, f"(?m)^{name} .*{words}$")
        for column in ("launches", "blocks", "instr ~", "divergent", "loads", "sectors", "stores", "shared", "banks", "barrier", "moved", "ulp", "same"):
            self.assertIn(column, table)
        self.assertRegex(table, r"(?m)^right +on the host +0 +yes  1 of 1 values correct; Answer = 42$")

    @unittest.skipUnless("PLANTED_CUDA" in os.environ, "built without CUDA")
    def test_a_rung_that_is_meant_to_hang_has_a_limit_of_its_own(self):
        # Not in the simulator, which finds out itself that nothing goes on.
        self.assertIn("timed out: ended after 1 s", run("PLANTED_CUDA", "run", "planted", "hanging-on-purpose", "--time-limit", 100).stdout)

    def test_what_the_texts_program_prints(self):
        self.assertEqual(self.outcomes("right")[1]["right"]["printed"], "Answer = 42")
        self.assertIn("1 of 1 values correct; Answer = 42\n", run("PLANTED", "run", "planted", "right").stdout)

    def test_results_that_change(self):
        self.assertFalse(self.outcomes()[1]["wrong-later"]["repeatable"])
        self.assertTrue(self.outcomes()[1]["right"]["repeatable"])

    def test_exit_status(self):
        for rungs, status in ((["right"], 0), (["right", "right-again"], 0), (["wrong"], 1), (["refusing"], 0), (["hanging", "right"], 1)):
            self.assertEqual(self.outcomes(*rungs)[0].returncode, status, rungs)

    def test_rungs_run_side_by_side_and_are_reported_in_order(self):
        start = time.monotonic()
        done, rungs = self.outcomes("hanging", "right", "hanging", "right-again")
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(list(rungs), ["right", "hanging", "right-again"])

    def test_rungs_by_option_or_place(self):
        for rungs in (["--rung", "right", "right-again"], ["--rung", "right", "--rung", "right-again"], ["right", "--rung", "right-again"]):
            self.assertEqual(set(self.outcomes(*rungs)[1]), {"right", "right-again"}, rungs)

    def test_options_that_mean_nothing(self):
        self.assertEqual(run("PLANTED", "run", "planted", "right", "--n", 5).returncode, 0)
        done = run("PLANTED", "run", "planted", "right", "--rows", 5)
        self.assertEqual((done.returncode, done.stderr), (2, "foldline-ladder: planted does not take --rows, but --n\n"))

    def test_in_process(self):
        done, rungs = self.outcomes("right", "wrong", "failing", "--in-process")
        self.assertEqual([rung["status"] for rung in rungs.values()], ["ok", "wrong", "failed"])
        crashed = run("PLANTED", "run", "planted", "crashing", "--in-process")
        self.assertEqual(crashed.returncode, -signal.SIGSEGV)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        for arguments in (["list"], ["run", "planted", "right", "--json"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([os.environ["PLANTED"], *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output cannot be written", done.stderr)

    def test_diff(self):
        self.assertEqual(run("PLANTED", "diff", "planted", "right", "wrong").stdout,
                         "- // Idea: the answer.\n+ // Idea: another\n+ // answer.\n  // Fixes: nothing.\n- int x;\n+ int y;\n")

    def test_list(self):
        done = run("PLANTED", "list")
        self.assertRegex(done.stdout, r"planted: rungs that go wrong\n  right +the answer\.\n  wrong +another answer\.\n")


@unittest.skipUnless(os.environ.get("PLANTED_CUDA"), "built without CUDA")
class Times(unittest.TestCase):
    def report(self, problem, *rungs):
        return json.loads(run("PLANTED_CUDA", "run", problem, *rungs, "--rounds", 2, "--json").stdout)["reports"][0]

    def test_columns(self):
        table = run("PLANTED_CUDA", "run", "planted", "right", "--rounds", 2).stdout
        for column in ("cold us", "warm us", "total us", "with input", "GB/s", "roof", "x before", "x first", "ulp", "same", "grid", "regs", "occupied"):
            self.assertIn(column, table)

    def test_speed_up_is_over_the_last_rung_that_ran(self):
        first, _, again = self.report("planted", "right", "wrong", "right-again")["rungs"]
        self.assertIsNone(first["speed_up_over_rung_before"])
        self.assertAlmostEqual(again["speed_up_over_rung_before"], first["total"]["median"] / again["total"]["median"])

    def test_work_is_counted_in_units_of_the_problem(self):
        for problem, head, work, rate in (("planted", "GB/s", "bytes", "gigabytes_per_second"), ("counted", "GFLOP/s", "operations", "gigaflops")):
            self.assertIn(head, run("PLANTED_CUDA", "run", problem, "right").stdout)
            report = self.report(problem, "right")
            self.assertEqual(report[work], 4)
            self.assertAlmostEqual(report["rungs"][0][rate], 4e-3 / report["rungs"][0]["cold"]["median"])

    def test_without_a_gpu(self):
        done = run("LADDER_CUDA", "run", "reduce", CUDA_VISIBLE_DEVICES="")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertTrue(re.fullmatch(r"foldline-ladder: reduce runs on an NVIDIA GPU, and .+\n", done.stderr), done.stderr)

    def test_it_does_not_simulate(self):
        done = run("LADDER_CUDA", "run", "reduce", "--as", "t4")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", "foldline-ladder: foldline-ladder-cuda does not simulate; foldline-ladder does\n"))


class Simulated(unittest.TestCase):
    """What a run without a GPU says."""

    def report(self, *arguments):
        done = run("LADDER", "run", *arguments, "--simulate", "--seed", 1, "--json")
        whole = json.loads(done.stdout)
        return done.returncode, whole, {rung["rung"]: rung for rung in whole["reports"][0]["rungs"]}

    def test_addresses(self):
        of_the_range = run("LADDER", "run", "reduce", "warp-shuffles", "--n", 1000, "--simulate", SIMT_ADDRESS_SPACE_GIB="1")
        self.assertEqual((of_the_range.returncode, of_the_range.stderr), (0, ""))
        for text in ("0", "257", "4G", "-1"):
            done = run("LADDER", "run", "reduce", "warp-shuffles", "--n", 1000, "--simulate", SIMT_ADDRESS_SPACE_GIB=text)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"SIMT_ADDRESS_SPACE_GIB is '{text}'; it must be a number from 1 to 256", done.stdout + done.stderr)

    def test_counts(self):
        status, whole, rungs = self.report("reduce", "neighboured-pairs", "interleaved-pairs", "--n", 4096, "--block", 512)
        self.assertEqual((status, whole["simulated"]["as"]), (0, "h200"))
        counts = {name: rung["counts"] for name, rung in rungs.items()}
        for of_rung in counts.values():
            self.assertEqual((of_rung["launches"], of_rung["blocks"], of_rung["warps"], of_rung["threads"]), (1, 8, 128, 4096))
        # A warp takes every step in the first, and in the other the first warps only.
        self.assertGreater(counts["neighboured-pairs"]["loads"]["requests"], 3 * counts["interleaved-pairs"]["loads"]["requests"])
        self.assertGreater(counts["neighboured-pairs"]["divergent_branches"], counts["interleaved-pairs"]["divergent_branches"])

    def test_what_a_device_lacks_is_no_failure(self):
        status, _, rungs = self.report("reduce", "warp-shuffles", "neighboured-pairs", "--n", 1000, "--as", "m2070")
        self.assertEqual(status, 0)
        self.assertEqual((rungs["warp-shuffles"]["status"], rungs["warp-shuffles"]["message"]), ("not here", "not on a m2070: shuffles need 3.0"))
        self.assertEqual(rungs["neighboured-pairs"]["status"], "ok")

    def test_the_grid_follows_the_device(self):
        grids = {device: self.report("reduce", "grid-stride-16-byte-loads", "--n", 10**6, "--as", device)[2]["grid-stride-16-byte-loads"]["grid"]
                 for device in ("h200", "t4")}
        self.assertEqual(grids, {"h200": 489, "t4": 160})

    def test_lines_are_counted_in_the_margin(self):
        lines = run("LADDER", "show", "reduce", "warp-shuffles", "--counts").stdout.splitlines()
        self.assertEqual(lines[0].split(), ["instr", "~", "divergent", "requests", "parts", "|"])
        loads = next(line for line in lines if line.endswith("if (i < count) sum += x[first + i];"))
        self.assertEqual(loads.split("|")[0].split()[1:], ["8", "4"])  # loads of a warp, sectors of each
        shown = run("LADDER", "show", "reduce", "warp-shuffles").stdout.splitlines()
        self.assertEqual([line.split("| ", 1)[1] for line in lines[1:]], shown)

    def test_the_simulated_device_is_named(self):
        for options, name in (([], "NVIDIA H200"), (["--as", "t4"], "Tesla T4")):
            table = run("LADDER", "run", "reduce", "interleaved-pairs", "--n", 100, "--simulate", *options).stdout
            self.assertIn(f"\nreduce: sum of 100 ints, blocks of 512; simulated: {name}\n", table)

    def test_lanes_against_time(self):
        done = run("LADDER", "run", "reduce", "neighboured-pairs", "--n", 128, "--block", 64, "--trace")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"add_neighboured_pairs\(int\*, long, int\*\), block 0, 2 of 2 warps")
        picture = [line for line in done.stdout.split("\nwarp 1\n")[0].splitlines() if "neighboured_pairs.cu:" in line]
        self.assertEqual(len(picture), 40)
        stores = [line for line in picture if "store of `x`" in line]
        self.assertEqual([line.split()[1].count("#") for line in stores], [16, 8, 4, 2, 1])
        self.assertIn("#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.", stores[0])
        self.assertTrue(stores[3].endswith("store of `x`: 2 sectors, 0 2"), stores[3])
        self.assertIn("more steps (--trace-steps)", done.stdout)
        self.assertNotIn("\033", done.stdout)
        longer = run("LADDER", "run", "reduce", "neighboured-pairs", "--n", 128, "--block", 64, "--trace", "--trace-steps", 1000).stdout
        self.assertRegex(longer.split("\nwarp 1\n")[1], r"(?m)^ +\d+  b{32} neighboured_pairs\.cu:\d+ +barrier, waits for \d+ instructions of another warp$")
        self.assertNotIn("--trace-steps", longer)
        for arguments in (["reduce", "--trace"], ["dot", "warp-shuffles", "--trace"], ["reduce", "warp-shuffles", "--trace", "--json"]):
            self.assertEqual(run("LADDER", "run", *arguments).returncode, 2, arguments)

    def test_a_sample_of_blocks(self):
        status, _, rungs = self.report("reduce", "interleaved-pairs", "--n", 2**20, "--sample")
        self.assertEqual((status, rungs["interleaved-pairs"]["check"]["values"]), (0, 0))
        self.assertEqual(rungs["interleaved-pairs"]["counts"], self.report("reduce", "interleaved-pairs", "--n", 2**20)[2]["interleaved-pairs"]["counts"])

    def test_an_experiment_that_fails_as_announced(self):
        status, _, rungs = self.report("barrier", "barrier-in-branch", "--n", 5000)
        self.assertEqual((status, rungs["barrier-in-branch"]["status"]), (0, "failed"))
        self.assertRegex(rungs["barrier-in-branch"]["message"], r"barrier_in_branch\.cu:\d+: error: barrier: ")

    def test_the_librarys_own_rungs_say_where_they_run(self):
        table = run("LADDER", "run", "reduce", "foldline-sum", "--n", 1000, "--simulate").stdout
        self.assertRegex(table, r"(?m)^foldline-sum \(library\) +foldline's CPU backend .* 1 of 1 values correct$")


class CommandLine(unittest.TestCase):
    def rungs(self):
        """Pairs of problem and rung, as listed."""
        problem, pairs = None, []
        for line in run("LADDER", "list").stdout.splitlines():
            if line.startswith("  "):
                pairs.append((problem, line.split()[0]))
            else:
                problem = line.split(":")[0]
        return pairs

    def test_every_rung_is_listed_and_shown(self):
        pairs = self.rungs()
        self.assertGreaterEqual(len(pairs), 16)
        sources = [path for problem in {problem for problem, _ in pairs} for path in (SOURCES / problem).glob("*.c*")]
        with_rungs = {path: text for path, text in ((path, path.read_text()) for path in sources) if text.startswith("// Idea: ")}
        shown_of = set()
        for problem, rung in pairs:
            own = run("LADDER", "show", problem, rung).stdout.split("\n// From ")[0]
            path = next(path for path, text in with_rungs.items() if text.splitlines()[:2] == own.splitlines()[:2])
            self.assertLessEqual(set(own.splitlines()), set(with_rungs[path].splitlines()), (problem, rung))
            if own == with_rungs[path]:
                shown_of.add(path)
            else:  # the functions of other rungs are left out
                shown_of.add(path)
                self.assertLess(own.count("\n"), with_rungs[path].count("\n"))
        self.assertEqual(shown_of, set(with_rungs))

    def test_rungs_that_share_a_file_are_told_apart(self):
        shown = {n: run("LADDER", "show", "reduce", f"unrolled-by-{n}").stdout for n in (2, 4, 8)}
        for n, text in shown.items():
            self.assertEqual([k for k in (2, 4, 8) if f"void unrolled_by_{k}(" in text], [n])
        self.assertIn("- void unrolled_by_2(Bench& bench) { unrolled<2>(bench); }\n+ void unrolled_by_4(Bench& bench) { unrolled<4>(bench); }\n",
                      run("LADDER", "diff", "reduce", "unrolled-by-2", "unrolled-by-4").stdout)
        self.assertNotIn("two_linear", run("LADDER", "show", "dot", "textures-two-arrays").stdout)

    def test_device_functions_from_headers_are_shown(self):
        text = run("LADDER", "show", "reduce", "warp-shuffles").stdout
        self.assertIn("\n// From common/block_sum.cuh:\n", text)
        self.assertIn("__shfl_down_sync", text)
        self.assertNotIn("resident_blocks(std::int64_t items", text)  # for the host
        self.assertIn("__device__ inline int part_size(", run("LADDER", "show", "reduce", "neighboured-pairs").stdout)

    def test_a_problem_names_its_rungs(self):
        done = run("LADDER", "show", "barrier")
        self.assertEqual((done.returncode, done.stdout), (0, "barrier has barrier-in-branch, barrier-missing, barrier-that-hangs, barrier-outside\n"))

    def test_suggestions(self):
        for arguments, words in ((["rum", "reduce"], "there is no command 'rum'; did you mean 'run'?"),
                                 (["run", "redcue"], "there is no problem 'redcue'; did you mean 'reduce'?"),
                                 (["show", "reduce", "wrap-shuffles"], "reduce has no rung 'wrap-shuffles'; did you mean 'warp-shuffles'?"),
                                 (["run", "sorting"], "there is no problem 'sorting'; there are reduce, dot, ")):
            done = run("LADDER", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr.startswith("foldline-ladder: " + words), done.stderr)

    def test_sizes_as_people_write_them(self):
        for text, size in (("1e3", 1000), ("2^10", 1024), ("77", 77), ("0", 0)):
            self.assertIn(f"sum of {size} ints", run("LADDER", "run", "reduce", "interleaved-pairs", "--n", text, "--simulate").stdout)
        for text in ("1.5", "many", "2^", "1e13", "-1", ""):
            done = run("LADDER", "run", "reduce", "--n", text, "--simulate")
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)

    def test_results_are_those_of_the_records(self):
        for gpu, file in (("h200", "nvidia-h200-ladder.json"), ("h100", "nvidia-h100-80gb-hbm3-ladder.json")):
            record = json.loads((SOURCES.parent / "records" / file).read_text())
            reports = [report for run in record["runs"] for each in run["problems"].values() for report in each["reports"]]
            for problem in ("reduce", "quadrature"):
                printed = run("LADDER", "results", problem, "--gpu", gpu).stdout
                self.assertTrue(printed.startswith(f"Measured on {record['gpu']}, {record['date']}\n"))
                for report in (report for report in reports if report["problem"] == problem):
                    self.assertIn(f"\n{problem}: {report['title']}\n", printed)
                    for rung in report["rungs"]:
                        if rung["status"] == "ok" and 0 < rung["cold"]["median"] < 100:
                            self.assertRegex(printed, f"(?m)^{rung['rung']} .* {rung['cold']['median']:.2f} ")
        done = run("LADDER", "results", "reduce", "--gpu", "gtx")
        self.assertEqual((done.returncode, done.stderr), (2, "foldline-ladder: there is no record of a GPU 'gtx'; there are h100, h200\n"))

    def test_every_rung_is_explained(self):
        for problem, rung in self.rungs():
            text = run("LADDER", "show", problem, rung).stdout
            self.assertRegex(text, r"\A// Idea: (.*\n// )+Fixes: (.*\n// )+Limit: .*", (problem, rung))
            self.assertLessEqual(text.count("\n"), 220, (problem, rung))

    def test_diff(self):
        done = run("LADDER", "diff", "reduce", "neighboured-pairs", "interleaved-pairs")
        self.assertEqual(done.returncode, 0)
        self.assertIn("-   for (int s = 1; s < blockDim.x; s *= 2) {\n", done.stdout)
        self.assertIn("+   for (int s = blockDim.x / 2; s > 0; s /= 2) {\n", done.stdout)
        self.assertIn("    if (t == 0) partials[blockIdx.x] = part[0];\n", done.stdout)

    def test_mistakes(self):
        for arguments in (["climb"], ["run"], ["run", "sorting"], ["run", "reduce", "bogosum"],
                          ["run", "reduce", "--n", "-1"], ["run", "reduce", "--n", "2147483648"],
                          ["run", "reduce", "--block", "48"], ["run", "reduce", "--rounds", "0"],
                          ["run", "reduce", "--rows", "8"], ["run", "dot", "--inner", "8"], ["run", "matmul", "--block", "128"],
                          ["run", "matmul", "--n", "1048577"], ["run", "matmul", "--n", "65536"], ["run", "matmul", "--shapes", "textbook"],
                          ["run", "quadrature", "--n", "0"], ["run", "quadrature", "--function", "sine"],
                          ["run", "quadrature", "--data", "textbook"], ["run", "dot", "--shapes", "textbook", "--n", "5"],
                          ["run", "column-sums", "--data", "textbook", "--rows", "5"], ["run", "dot", "--data", "novel"], ["diff", "reduce", "unrolled-by-2"]):
            with self.subTest(arguments=arguments):
                done = run("LADDER", *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertNotEqual(done.stderr, "")

    @unittest.skipUnless(os.environ.get("FOLDLINE"), "built without the command")
    def test_the_command_hands_over(self):
        for arguments in ([], ["list", "dot"], ["show", "reduce", "warp-shuffles"], ["run", "--help"]):
            self.assertEqual(run("FOLDLINE", "ladder", *arguments).stdout, run("LADDER", *arguments).stdout)
        self.assertIn("recursive-pairwise-on-the-host", run("FOLDLINE", "ladder").stdout)


if __name__ == "__main__":
    unittest.main()
