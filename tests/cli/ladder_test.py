"""`foldline ladder` hands over to foldline-ladder: beside it, else on PATH."""
import os
import shutil
import unittest

from command import COMMAND, CommandTest

# Prints its name and arguments, a line each, and has an exit status of its own.
PROGRAM = b'#!/bin/sh\nprintf \'%s\\n\' "$0" "$@"\nexit 3\n'


class Ladder(CommandTest):
    def setUp(self):
        super().setUp()
        self.command = shutil.copy(shutil.which(COMMAND), self.path("foldline"))  # away from what it was built beside

    def add_program(self, folder, mode=0o755):
        os.makedirs(self.path(folder), exist_ok=True)
        path = self.write(os.path.join(folder, "foldline-ladder"), PROGRAM)
        os.chmod(path, mode)
        return path

    def ladder(self, *arguments, path="/nowhere"):
        environment = {**os.environ, "PATH": path}
        done = self.run_command("ladder", *arguments, env=environment, executable=self.command)
        return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode()

    def test_all_words_are_handed_over(self):
        program = self.add_program(".")
        for words in ([], ["list"], ["run", "reduce", "--n", "5", "--json"], ["run", "--help"], ["climb", "--", "", "a b"]):
            with self.subTest(words=words):
                self.assertEqual(self.ladder(*words), (3, [os.path.normpath(program), *words], ""))

    def test_beside_comes_before_path(self):
        beside, on_path = self.add_program("."), self.add_program("bin")
        self.assertEqual(self.ladder(path=self.path("bin"))[1], [os.path.normpath(beside)])
        os.remove(beside)
        self.assertEqual(self.ladder(path=self.path("bin"))[1], [on_path])

    def test_without_it(self):
        status, output, message = self.ladder("list")
        self.assertEqual((status, output, message.count("\n")), (1, [], 1))
        self.assertRegex(message, "^foldline: ladder: .*foldline-ladder is neither beside foldline nor on PATH; build it with ")

    def test_one_that_cannot_be_run(self):
        self.add_program(".", 0o644)
        status, output, message = self.ladder("list")
        self.assertEqual((status, output), (1, []))
        self.assertIn("foldline-ladder cannot be run: Permission denied", message)

    def test_help_is_here(self):
        self.assertIn("  foldline ladder list ", self.result("ladder", "--help"))
        self.assertIn(" ACTION ", self.result("ladder", "-h"))
        self.assertIn("  ladder  ", self.result("--help"))


if __name__ == "__main__":
    unittest.main()
