"""The command line: help, mistakes, exit codes, and where the output goes."""
import os
import pty
import select
import subprocess
import time
import unittest

import numpy

from command import COMMAND, CommandTest


class Usage(CommandTest):
    def test_help_leads_with_examples(self):
        self.assertTrue(self.result("--help").startswith("Examples:\n"))
        self.assertTrue(self.result("variance", "--help").startswith("Example:\n"))
        self.assertRegex(self.result("--version"), r"^foldline \d+\.\d+\.\d+$")

    def test_mistakes(self):
        path = self.save("x.npy", numpy.ones(3))
        for arguments in (
            [],
            ["smu", path],
            ["sum"],
            ["dot", path],
            ["sum", path, "--threads", "-1"],
            ["sum", path, "--threads", "4097"],
            ["sum", path, "--threads", "two"],
            ["sum", path, "--target", "sse9"],
            ["sum", path, "--device", "gpu"],
            ["sum", path, "--device", "cuda:"],
            ["sum", path, "--device", "cuda:99"],
            ["sum", path, "--device", "cuda:al"],
            ["scan", path, "--device", "cuda:all", "-o", "-"],
            ["sum", path, "--device", "cuda:all", "--axis", "0"],
            ["matmul", path, path, "--device", "cuda:all"],
            ["integrate", "x", "0", "1", "--rule", "midpoint", "-n", "10", "--device", "cuda:all"],
            ["sum", path, "--device", "cuda", "--by", "1"],
            ["scan", path, "--device", "cuda", "--axis", "0", "-o", "-"],
            ["sum", path, "--format", "roman"],
            ["sum", path, "--output-type", "int128"],
            ["sum", path, "--ddof", "1"],
            ["variance", path, "--ddof", "-1"],
            ["sum", path, "--shape", "3"],
            ["sum", path, "--input-type", "float64", "--shape", "3,"],
            ["sum", path, "--input-type", "float64", "--shape", "-3"],
            ["sum", path, "--input-type", "float64", "--offset", "9999999999999999999"],
            ["sum", path, "--no-such-option"],
            ["sum", path, "--input-type", "float64"],
            ["sum", path, "--accuracy", "fast", "--format", "exact"],
        ):
            with self.subTest(arguments=arguments):
                self.error(2, *arguments)
        self.assertIn("unknown command 'stast'; did you mean 'stats'?", self.error(2, "stast", path, "--column", "x"))
        self.assertIn("unknown command 'big.csv'", self.error(2, "big.csv", "--json"))
        self.assertIn("'--json' goes behind the command", self.error(2, "--json", "sum", path))

    def test_a_target_that_this_machine_lacks(self):
        path = self.save("x.npy", numpy.ones(3))
        for target in {"avx2", "avx512", "neon"} - set(self.targets()):
            self.assertIn("not available on this machine", self.error(2, "sum", path, "--target", target))

    def test_explain_goes_to_standard_error(self):
        path = self.save("x.npy", numpy.ones(3))
        done = self.run_command("sum", path, "--explain")
        self.assertEqual((done.returncode, done.stdout), (0, b"3\n"))
        self.assertIn(b"sum of 3 float64 on the CPU", done.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        path = self.save("x.npy", numpy.ones(3))
        for arguments in (["sum", path], ["stats", path, "--json"], ["--help"], ["--version"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"standard output: cannot be written", done.stderr)

    def test_closed_standard_output(self):
        path = self.save("x.npy", numpy.ones(3))
        done = subprocess.run([COMMAND, "sum", path], preexec_fn=lambda: os.close(1), stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)


class ProgressBar(CommandTest):
    def on_terminal(self, **environment):
        """What a slow computation writes to a terminal on standard error."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [COMMAND, "sum", "-", "--input-type", "float64", "--shape", "4000000"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=slave, env={"TERM": "xterm", **environment},
        )
        os.close(slave)
        for _ in range(8):  # 32 MB in about a second
            process.stdin.write(bytes(4_000_000))
            process.stdin.flush()
            time.sleep(0.12)
        process.stdin.close()
        self.assertEqual(process.stdout.read(), b"0\n")
        process.stdout.close()
        self.assertEqual(process.wait(), 0)
        text = b""
        while select.select([master], [], [], 0.1)[0]:
            try:
                text += os.read(master, 65536)
            except OSError:  # the other end is closed
                break
        os.close(master)
        return text.decode()

    def test_shown_and_erased(self):
        text = self.on_terminal()
        self.assertIn("GB/s", text)
        self.assertIn("\x1b[32m", text)
        self.assertTrue(text.endswith("\r\x1b[K"), text)

    def test_no_color(self):
        text = self.on_terminal(NO_COLOR="1")
        self.assertIn("GB/s", text)
        self.assertNotIn("\x1b[32m", text)

    def test_silent_without_a_capable_terminal(self):
        self.assertEqual(self.on_terminal(TERM="dumb"), "")


if __name__ == "__main__":
    unittest.main()
