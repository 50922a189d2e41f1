"""The runner and its command line; needs no GPU."""
import json
import os
import pathlib
import re
import signal
import subprocess
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
            "failing": "failed", "refusing": "not here", "right-again": "ok"})
        for name, words in (("wrong", "the answer is 41, not 42"), ("hanging", "ended after 1 s"),
                            ("crashing", "Segmentation fault"), ("failing", "no more answers"),
                            ("refusing", "needs a larger universe")):
            self.assertIn(words, rungs[name]["message"])
            self.assertRegex(table, f"(?m)^{name} .*{words}$")
        for column in ("cold us", "warm us", "total us", "with input", "GB/s", "roof", "x before", "x first", "ulp", "same", "grid", "regs", "occupied"):
            self.assertIn(column, table)

    def test_results_that_change(self):
        self.assertFalse(self.outcomes()[1]["wrong-later"]["repeatable"])
        self.assertTrue(self.outcomes()[1]["right"]["repeatable"])

    def test_exit_status(self):
        for rungs, status in ((["right"], 0), (["right", "right-again"], 0), (["wrong"], 1), (["refusing"], 1)):
            self.assertEqual(self.outcomes(*rungs)[0].returncode, status, rungs)

    def test_speed_up_is_over_the_last_rung_that_ran(self):
        rungs = self.outcomes("right", "wrong", "right-again")[1]
        times = [rungs[name]["total"]["median"] for name in ("right", "right-again")]
        self.assertIsNone(rungs["right"]["speed_up_over_rung_before"])
        self.assertAlmostEqual(rungs["right-again"]["speed_up_over_rung_before"], times[0] / times[1])

    def test_rungs_by_option_or_place(self):
        for rungs in (["--rung", "right", "right-again"], ["--rung", "right", "--rung", "right-again"], ["right", "--rung", "right-again"]):
            self.assertEqual(set(self.outcomes(*rungs)[1]), {"right", "right-again"}, rungs)

    def test_work_is_counted_in_units_of_the_problem(self):
        for problem, head, work, rate in (("planted", "GB/s", "bytes", "gigabytes_per_second"), ("counted", "GFLOP/s", "operations", "gigaflops")):
            self.assertIn(head, run("PLANTED", "run", problem, "right").stdout)
            report = json.loads(run("PLANTED", "run", problem, "right", "--json").stdout)["reports"][0]
            self.assertEqual(report[work], 4)
            self.assertAlmostEqual(report["rungs"][0][rate], 4e-3 / report["rungs"][0]["cold"]["median"])

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
        shown = {run("LADDER", "show", problem, rung).stdout for problem, rung in pairs}
        sources = [path for problem in {problem for problem, _ in pairs} for path in (SOURCES / problem).glob("*.c*")]
        with_rungs = {text for text in (path.read_text() for path in sources) if text.startswith("// Idea: ")}
        self.assertEqual(shown, with_rungs)

    def test_every_rung_is_explained(self):
        for problem, rung in self.rungs():
            text = run("LADDER", "show", problem, rung).stdout
            self.assertRegex(text, r"\A// Idea: (.*\n// )+Fixes: (.*\n// )+Limit: .*", (problem, rung))
            self.assertLessEqual(text.count("\n"), 150, (problem, rung))

    def test_diff(self):
        done = run("LADDER", "diff", "reduce", "neighboured-pairs", "interleaved-pairs")
        self.assertEqual(done.returncode, 0)
        self.assertIn("-   for (int s = 1; s < blockDim.x; s *= 2) {\n", done.stdout)
        self.assertIn("+   for (int s = blockDim.x / 2; s > 0; s /= 2) {\n", done.stdout)
        self.assertIn("    if (t == 0) partials[blockIdx.x] = part[0];\n", done.stdout)

    def test_mistakes(self):
        for arguments in (["climb"], ["run"], ["run", "sorting"], ["run", "reduce", "bogosum"], ["show", "reduce"],
                          ["run", "reduce", "--n", "-1"], ["run", "reduce", "--n", "2147483648"],
                          ["run", "reduce", "--block", "48"], ["run", "reduce", "--rounds", "0"],
                          ["run", "reduce", "--rows", "8"], ["run", "dot", "--inner", "8"], ["run", "matmul", "--block", "128"],
                          ["run", "matmul", "--n", "1048577"], ["run", "matmul", "--n", "65536"], ["run", "matmul", "--shapes", "textbook"],
                          ["run", "quadrature", "--n", "0"], ["run", "quadrature", "--function", "sine"],
                          ["run", "scan", "--shapes", "textbook"], ["run", "dot", "--shapes", "textbook", "--n", "5"], ["diff", "reduce", "unrolled-by-2"]):
            with self.subTest(arguments=arguments):
                done = run("LADDER", *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertNotEqual(done.stderr, "")

    @unittest.skipUnless(os.environ.get("FOLDLINE"), "built without the command")
    def test_the_command_hands_over(self):
        for arguments in ([], ["list", "dot"], ["show", "reduce", "warp-shuffles"], ["run", "--help"]):
            self.assertEqual(run("FOLDLINE", "ladder", *arguments).stdout, run("LADDER", *arguments).stdout)
        self.assertIn("recursive-pairwise-on-the-host", run("FOLDLINE", "ladder").stdout)

    def test_without_a_gpu(self):
        done = run("LADDER", "run", "reduce", CUDA_VISIBLE_DEVICES="")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertTrue(re.fullmatch(r"foldline-ladder: reduce runs on an NVIDIA GPU, and .+\n", done.stderr), done.stderr)


if __name__ == "__main__":
    unittest.main()
