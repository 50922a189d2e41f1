#!/usr/bin/env python3
"""symbols_test.py FOLDER, where libfoldline.so was built: it exports what the public headers declare, all of that, and
nothing else."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CLASS = re.compile(r"\b(?:class|struct)\s+FOLDLINE_API\s+(\w+)")
FUNCTION = re.compile(r"\bFOLDLINE_API\s+[^;{}()]*?\b(\w+)\s*\(")
# foldline::Error::Error(...)   typeinfo for foldline::Error   foldline::detail::evaluate(...)
# std::vector<int>::~vector()   typeinfo for std::bad_variant_access   bool std::__detail::__from_chars_pow2_base<...>(...)
STANDARD = re.compile(r"(?:(?:typeinfo|typeinfo name|vtable) for |\w+ )?(?:std|__gnu_cxx)::")
EXPORTED = re.compile(r"(?:(?:typeinfo|typeinfo name|vtable) for )?foldline::(?:detail::|async::|nccl::)*(\w+)")


def headers():
    paths = (ROOT / "include" / "foldline").rglob("*.hpp")
    return "".join(re.sub("//.*", "", path.read_text()) for path in paths if path.name != "export.hpp")


def declared():
    """What the headers mark with FOLDLINE_API."""
    return {name for pattern in (CLASS, FUNCTION) for name in pattern.findall(headers())}


def symbols(*arguments):
    """Pairs of nm's letter and the demangled name."""
    lines = subprocess.run(["nm", "-C", "--defined-only", *arguments], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^[0-9a-f]+ (\w) (.*)$", lines, re.MULTILINE)


def exported(folder):
    """The names that are the library's own: not what templates of the standard library leave behind."""
    return [
        name
        for kind, name in symbols("-D", folder / "libfoldline.so")
        if not (kind in "VWu" and STANDARD.match(name))
    ]


def defined(folder):
    """The names of all functions that are compiled out of line, exported or not."""
    return [name for kind, name in symbols(*folder.rglob("*.o")) if kind == "T"]


def name_of(symbol):
    """The function or class of foldline that a symbol belongs to; None if it is of something else."""
    match = EXPORTED.match(symbol)
    return match[1] if match and "::State" not in symbol.split("(")[0] else None


class Symbols(unittest.TestCase):
    folder = pathlib.Path()

    maxDiff = None

    def test_nothing_else_is_exported(self):
        names = declared()
        self.assertEqual([symbol for symbol in exported(self.folder) if name_of(symbol) not in names], [])

    def test_all_is_exported(self):
        self.assertEqual(declared() - {name_of(symbol) for symbol in exported(self.folder)}, set())

    def test_all_is_marked(self):
        namesakes = {"cuda", "reduce", "scan"}  # of Device::cuda and of functions of generic.hpp, but not public
        names = {name_of(symbol) for symbol in defined(self.folder) if name_of(symbol)} - namesakes
        self.assertLess({"Accumulator", "evaluate", "plan"}, names)
        public = {name for name in names if re.search(rf"\b{name}\s*\(", headers())}
        self.assertEqual(public - declared(), set())

    def test_exceptions_can_be_caught(self):
        names = exported(self.folder)
        for name in re.findall(r"FOLDLINE_API (\w*Error|InvalidArgument)\b", headers()):
            self.assertIn(f"typeinfo for foldline::{name}", names)

    def test_the_test_itself(self):
        self.assertLess({"Accumulator", "InvalidArgument", "name_of", "plan", "evaluate"}, declared())
        self.assertEqual(name_of("foldline::Accumulator::add(foldline::VectorView const&)"), "Accumulator")
        self.assertEqual(name_of("typeinfo for foldline::Error"), "Error")
        self.assertEqual(name_of("foldline::detail::evaluate(foldline::Operation)"), "evaluate")
        self.assertEqual(name_of("foldline::cpu::reduce(foldline::Plan const&)"), "cpu")  # not declared
        self.assertIsNone(name_of("foldline::ArrayReader::State::end()"))
        self.assertIsNone(name_of("hwy::SupportedTargets()"))


if __name__ == "__main__":
    Symbols.folder = pathlib.Path(sys.argv.pop())
    unittest.main()
