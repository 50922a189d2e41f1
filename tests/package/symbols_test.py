"""symbols_test.py LIBFOLDLINE.so: it exports what the headers mark with FOLDLINE_API, all of that, and nothing else."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CLASS = re.compile(r"\b(?:class|struct)\s+FOLDLINE_API\s+(\w+)")
FUNCTION = re.compile(r"\bFOLDLINE_API\s+[^;{}()]*?\b(\w+)\s*\(")
# foldline::Error::Error(...)   typeinfo for foldline::Error   foldline::detail::evaluate(...)
EXPORTED = re.compile(r"(?:(?:typeinfo|typeinfo name|vtable) for )?foldline::(?:detail::)?(\w+)")


def declared():
    headers = [path for path in (ROOT / "include" / "foldline").glob("*.hpp") if path.name != "export.hpp"]
    return {name for header in headers for pattern in (CLASS, FUNCTION) for name in pattern.findall(header.read_text())}


def exported(library):
    """The demangled symbols that are the library's own: not what templates of the standard library leave behind."""
    lines = subprocess.run(["nm", "-DC", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    symbols = [line.split(" ", 2) for line in lines.splitlines()]
    return [name for _, kind, name in symbols if not (kind in "VWu" and name.startswith(("std::", "__gnu_cxx::")))]


def name_of(symbol):
    """The function or class of foldline that a symbol belongs to; None if it is of something else."""
    match = EXPORTED.match(symbol)
    return match[1] if match and "::State" not in symbol.split("(")[0] else None


class Symbols(unittest.TestCase):
    library = ""

    def test_nothing_else_is_exported(self):
        names = declared()
        self.assertEqual([symbol for symbol in exported(self.library) if name_of(symbol) not in names], [])

    def test_all_is_exported(self):
        self.assertEqual(declared() - {name_of(symbol) for symbol in exported(self.library)}, set())

    def test_exceptions_can_be_caught(self):
        symbols = exported(self.library)
        classes = CLASS.findall((ROOT / "include" / "foldline" / "error.hpp").read_text())
        self.assertIn("Error", classes)
        for name in classes:
            self.assertIn(f"typeinfo for foldline::{name}", symbols)

    def test_the_test_itself(self):
        self.assertLess({"Accumulator", "InvalidArgument", "name_of", "plan", "evaluate"}, declared())
        self.assertEqual(name_of("foldline::Accumulator::add(foldline::VectorView const&)"), "Accumulator")
        self.assertEqual(name_of("typeinfo for foldline::Error"), "Error")
        self.assertEqual(name_of("foldline::detail::evaluate(foldline::Operation)"), "evaluate")
        self.assertEqual(name_of("foldline::cpu::reduce(foldline::Plan const&)"), "cpu")  # not declared
        self.assertIsNone(name_of("foldline::ArrayReader::State::end()"))
        self.assertIsNone(name_of("hwy::SupportedTargets()"))


if __name__ == "__main__":
    Symbols.library = sys.argv.pop()
    unittest.main()
