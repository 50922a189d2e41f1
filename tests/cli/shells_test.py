"""The manual page, the completions, and what is said to those who mistype."""
import os
import re
import shutil
import subprocess
import unittest

import numpy

from command import COMMAND, CommandTest


def tool(name):
    return unittest.skipUnless(shutil.which(name), f"no {name} here")


class Described(CommandTest):
    def commands(self):
        """The commands that --help lists."""
        listed = self.result("--help").split("Subcommands:\n")[1]
        return re.findall(r"^  ([a-z][a-z-]*) ", listed, re.MULTILINE)

    def options(self, command):
        return set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", self.result(command, "--help"), re.MULTILINE))


class Manual(Described):
    @tool("groff")
    def test_no_warnings(self):
        page = self.result("man").encode()
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    @tool("man")
    def test_man_shows_it(self):
        page = self.write("foldline.1", self.result("man").encode())
        done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, env={**os.environ, "MANWIDTH": "200"})
        if b"minimized" in done.stdout:
            self.skipTest("this system has no manual pages")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn("foldline sum", done.stdout.decode())

    def test_has_every_option(self):
        page = self.result("man").replace("\\-", "-")
        for command in self.commands():
            self.assertIn(f"\\fB{command}\\fR", page)
            for option in self.options(command):
                self.assertIn(f"\\fB{option}\\fR", page)


class Completions(Described):
    def bash(self, *words):
        """What bash offers for the last of the words."""
        script = f"""
            source <('{COMMAND}' completions bash)
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _foldline
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        done = subprocess.run(["bash", "-c", script, "bash", "foldline", *words], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    @tool("bash")
    def test_bash(self):
        self.save("data.npy", numpy.ones(1))
        self.assertEqual(self.bash(""), {*self.commands(), "--help", "--version"})
        self.assertEqual(self.bash("va"), {"variance"})
        for command in self.commands():
            self.assertEqual(self.bash(command, "--"), self.options(command))
        self.assertEqual(self.bash("sum", "--format", ""), {"shortest", "hex", "exact"})
        self.assertEqual(self.bash("sum", "--format", "h"), {"hex"})
        self.assertEqual(self.bash("sum", "--format", "=", "h"), {"hex"})
        self.assertEqual(self.bash("sum", "--format", "="), {"shortest", "hex", "exact"})
        self.assertEqual(self.bash("sum", "--threads", ""), set())
        self.assertEqual(self.bash("sum", "da"), {"data.npy"})
        self.assertEqual(self.bash("mean", "x.npy", "--weights", "da"), {"data.npy"})
        self.assertEqual(self.bash("completions", ""), {"bash", "zsh", "fish"})

    @tool("zsh")
    def test_zsh(self):
        path = self.write("_foldline", self.result("completions", "zsh").encode())
        subprocess.run(["zsh", "-n", path], check=True, capture_output=True)
        # The functions of zsh's completion system, replaced by some that print what they are asked to offer.
        script = f"""
            _arguments() {{ print -l -- "$@" }}
            _describe() {{ print -l -- "${{(@P)2}}" }}
            compdef() {{ : }}
            source {path}
            words=("$@") CURRENT=$#
            _foldline
        """
        def offered(*words):
            return subprocess.run(["zsh", "-fc", script, "zsh", "foldline", *words], check=True, capture_output=True, text=True).stdout
        self.assertEqual([line.split(":")[0] for line in offered("").splitlines()], self.commands())
        self.assertIn("--format[How numbers are printed]:choice:(shortest hex exact)\n", offered("sum", ""))
        for command in self.commands():
            self.assertEqual(set(re.findall(r"^(--[a-z-]+)\[", offered(command, ""), re.MULTILINE)), self.options(command))

    @tool("fish")
    def test_fish(self):
        path = self.write("foldline.fish", self.result("completions", "fish").encode())
        environment = {**os.environ, "HOME": self.folder}

        def offered(line):
            script = f"source {path}; complete --do-complete '{line}'"
            done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, env=environment, cwd=self.folder)
            self.assertEqual(done.stderr, "")
            return {line.split("\t")[0] for line in done.stdout.splitlines()}

        self.assertEqual(offered("foldline "), set(self.commands()))
        self.assertEqual(offered("foldline sum --format "), {"shortest", "hex", "exact"})
        self.assertEqual(offered("foldline sum --"), self.options("sum"))


if __name__ == "__main__":
    unittest.main()
