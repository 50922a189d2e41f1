"""The documents: commands print what they say, C++ is that of an example, links lead somewhere."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from markdown import blocks, commands

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.path.abspath(os.environ.get("FOLDLINE", "foldline"))
COMPILED = {"operations.md", "segments.md"}  # their C++ is a test of its own
WITH_FILES = ("operations.md", "command.md")  # their Python makes the files of their commands


def documents():
    patterns = ("*.md", "docs/**/*.md", "data/*.md", "examples/**/*.md", "packaging/**/*.md")
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def run(line, folder):
    """What a line prints, complaints included, that runs foldline, with or without a path or something piped into it; None for
    other commands."""
    words = re.match(r"(printf .* \| )?(?:\S*/)?foldline (.*)", line)
    if not words:
        return None
    command = f"{words[1] or ''}'{COMMAND}' {words[2]}"
    done = subprocess.run(command, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    return done.stdout


class Documents(unittest.TestCase):
    def check_commands(self, path, folder):
        count = 0
        for line, expected in commands(path.read_text()):
            with self.subTest(file=path.name, line=line):
                printed = run(line, folder)
                if printed is not None:
                    self.assertEqual(printed.splitlines(), expected)
                    count += 1
        return count

    def test_commands_with_files(self):
        for name in WITH_FILES:
            path = ROOT / "docs" / name
            with tempfile.TemporaryDirectory(prefix="foldline-test-") as folder:
                os.symlink(ROOT / "data", os.path.join(folder, "data"))
                home = os.getcwd()
                os.chdir(folder)
                try:
                    for block in blocks(path.read_text(), "python"):
                        exec(block, {})
                finally:
                    os.chdir(home)
                self.assertGreater(self.check_commands(path, folder), 10)

    def test_commands_elsewhere(self):
        for path in documents():
            if path.name not in WITH_FILES:
                self.check_commands(path, ROOT)
        self.assertGreater(self.check_commands(ROOT / "README.md", ROOT), 0)

    def test_code_is_that_of_an_example(self):
        examples = ["\n".join(line.strip() for line in path.read_text().splitlines()) for path in ROOT.glob("examples/**/*.c[pu]*")]
        for path in documents():
            if path.name in COMPILED:
                continue
            for block in blocks(path.read_text(), "cpp"):
                # An include may stand further from the rest than in the document.
                for part in block.split("\n\n"):
                    with self.subTest(file=path.name, part=part):
                        code = "\n".join(line.strip() for line in part.strip().splitlines())
                        self.assertTrue(any(code in example for example in examples))

    def test_paths_exist(self):
        """Those of sources that a document names in code, as in `src/cpu/reduce/*_sum-inl.hpp`."""
        folders = "|".join(re.escape(path.name) for path in ROOT.iterdir() if path.is_dir() and path.name not in ("build", ".git"))
        count = 0
        for path in documents():
            if "experiments" in path.parts:  # notes of their day
                continue
            for name in re.findall(rf"`((?:{folders})/[\w./*-]+)`", path.read_text()):
                if not re.search("[A-Z]{3}", name):  # NAME and the like
                    with self.subTest(file=path.name, path=name):
                        self.assertTrue(any(ROOT.glob(name.rstrip("/"))))
                        count += 1
        self.assertGreater(count, 50)

    def test_links(self):
        for path in documents():
            text = re.sub("```.*?```", "", path.read_text(), flags=re.DOTALL)  # [](double x) is C++
            for target in re.findall(r"\]\(([^)#:]+)\)", text):
                with self.subTest(file=path.name, target=target):
                    self.assertTrue((path.parent / target).exists())


if __name__ == "__main__":
    unittest.main()
