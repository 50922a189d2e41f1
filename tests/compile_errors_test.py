"""Calls with what foldline cannot add up: the compiler says so in one error, at the line of the call.

Arguments: the compiler and the folders of headers. Without the constraints of the headers some of these would be errors far
inside the library, and some would compile.
"""

import re
import subprocess
import sys
import unittest

COMPILER, *FOLDERS = sys.argv[1:]
del sys.argv[1:]

PROGRAM = """#include <complex>
#include <list>
#include <string>
#include <vector>
#include "foldline/foldline.hpp"

std::list<double> list;
std::vector<bool> flags;
std::vector<std::complex<double>> complex;
std::vector<long double> long_double;
std::vector<char> text;
std::vector<std::string> strings;
std::vector<double> x, y;
const std::vector<double> constant;
std::vector<int> whole;
"""
HERE = re.compile(r"^<stdin>:(\d+):\d+: error: ")
OPTIONS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Werror=unused-result", "-DFOLDLINE_STATIC"]

FUNCTIONS = ("sum", "vector_abs_sum", "vector_two_norm", "mean", "variance", "standard_deviation", "standard_error", "min", "max",
             "minmax", "range", "statistics")


def errors(statements):
    """What the compiler says of a program with the statements, each in a line of its own: for each, its errors, with what follows;
    and errors elsewhere."""
    lines = [f"void call_{i}() {{ {statement}; }}" for i, statement in enumerate(statements)]
    limit = ["-ferror-limit=0"] if "clang" in COMPILER else []
    run = subprocess.run([COMPILER, *OPTIONS, *limit, *(f"-I{folder}" for folder in FOLDERS), "-x", "c++", "-"],
                         input=PROGRAM + "\n".join(lines) + "\n", capture_output=True, text=True,
                         env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    found, elsewhere = [[] for _ in statements], []
    current = None
    for line in run.stderr.splitlines(keepends=True):
        if re.search(r"\berror:", line):
            match = HERE.match(line)
            # GCC 13 calls it an error, too, that a candidate's constraint names a member that is not there.
            if match or current is None or not re.search(r"error: no type named", line):
                current = found[int(match[1]) - PROGRAM.count("\n") - 1] if match else elsewhere
                current.append("")
        if current is not None:
            current[-1] += line
    return found, elsewhere


class CompileErrors(unittest.TestCase):
    def expect_refused(self, statements, reason=r"\berror:"):
        found, elsewhere = errors(statements)
        self.assertEqual(elsewhere, [])
        for statement, texts in zip(statements, found):
            with self.subTest(statement):
                self.assertEqual(len(texts), 1, "".join(texts)[:3000])
                self.assertRegex(texts[0], reason)

    def test_what_compiles(self):
        found, elsewhere = errors(["(void)(foldline::sum(x) + foldline::dot(x, whole) + foldline::mean<double>(whole))",
                                   "foldline::Accumulator all(foldline::Operation::sum); all.add(1.5f); all += 2; all += all"])
        self.assertEqual((found, elsewhere), ([[], []], []))

    def test_vectors_of_what_is_no_element(self):
        arguments = ("list", "flags", "complex", "long_double", "text", "strings", "1.0")
        self.expect_refused([f"(void)foldline::sum({argument})" for argument in arguments] +
                            [f"(void)foldline::dot(x, {argument})" for argument in arguments] +
                            [f"(void)foldline::{function}(list)" for function in FUNCTIONS] +
                            ["(void)foldline::weighted_mean(x, list)"], "VectorOfElements")

    def test_results_of_what_is_no_element(self):
        self.expect_refused([f"(void)foldline::sum<{result}>(x)" for result in ("long double", "char", "std::complex<double>", "std::string")],
                            "ResultType")
        self.expect_refused(["(void)foldline::mean<int>(x)"], "FloatingElement")

    def test_views_and_accumulators(self):
        all_of = "foldline::Accumulator all(foldline::Operation::sum); all"
        self.expect_refused(["foldline::inclusive_scan(list, y)", "foldline::inclusive_scan(x, constant)", "foldline::VectorView{flags}",
                             "foldline::ArrayView{complex}", f"{all_of}.add(list)", f"{all_of}.add(1.0L)", f"{all_of} += 'a'",
                             f"{all_of} += flags", "(void)foldline::trapezoid(text, 1.0)",
                             "(void)foldline::reduce(foldline::Operation::sum, list)"])

    def test_results_that_are_not_used(self):
        self.expect_refused(["foldline::sum(x)", "foldline::minmax(x)", "foldline::reduce(foldline::Operation::sum, x)",
                             "foldline::trapezoid(x, 1.0)", "foldline::plan(foldline::Operation::sum, foldline::ElementType::half, 1)",
                             "foldline::Accumulator(foldline::Operation::sum).result()"], "nodiscard|ignoring return value")


if __name__ == "__main__":
    unittest.main()
