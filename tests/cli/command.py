"""Runs the foldline command, which the environment variable FOLDLINE names, on arrays made for a test."""
import json
import os
import subprocess
import sys
import tempfile

import numpy

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
from sampled import SampledTest, of_sampled_cases, sampled  # noqa: E402, F401

COMMAND = os.environ.get("FOLDLINE", "foldline")


class CommandTest(SampledTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="foldline-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, array):
        numpy.save(self.path(name), array)
        return self.path(name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def run_command(self, *arguments, stdin=b"", **options):
        return subprocess.run([COMMAND, *map(str, arguments)], input=stdin, capture_output=True, timeout=120, **options)

    def result(self, *arguments, **options):
        """What the command prints, when it must succeed in silence."""
        done = self.run_command(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done)
        return done.stdout.decode().rstrip("\n")

    def json(self, *arguments, **options):
        return json.loads(self.result(*arguments, "--json", **options))

    def error(self, code, *arguments, **options):
        """The message, when the command must fail with `code`, one line of complaint and no output."""
        done = self.run_command(*arguments, **options)
        self.assertEqual((done.returncode, done.stdout), (code, b""), done)
        message = done.stderr.decode()
        self.assertTrue(message.startswith("foldline: ") and message.count("\n") == 1, message)
        self.assertLess(len(message), 500)
        return message

    def skip_with_a_sanitizer(self):
        """For tests that limit or measure memory, of which a sanitizer takes terabytes."""
        if "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ:
            self.skipTest("the sanitizer needs memory itself")

    def peak(self, arguments, stdin=None):
        """Most bytes that the command has in memory. A process hands on to its children how large it was, so a small one starts it."""
        launcher = ("import os, subprocess, sys\n"
                    "_, status, usage = os.wait4(subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL).pid, 0)\n"
                    "print(usage.ru_maxrss * 1024)\n"
                    "sys.exit(os.waitstatus_to_exitcode(status))\n")
        with subprocess.Popen(["cat", stdin or os.devnull], stdout=subprocess.PIPE) as source:
            done = subprocess.run([sys.executable, "-c", launcher, COMMAND, *map(str, arguments)], stdin=source.stdout,
                                  capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return int(done.stdout)

    def targets(self):
        """The SIMD targets that this machine has."""
        every = ("portable", "avx2", "avx512", "neon")
        path = self.save("one.npy", numpy.ones(1))
        return [t for t in every if self.run_command("sum", path, "--target", t).returncode == 0]
