"""A sample of tests that take long, for .ci/run: ./test runs all.

FOLDLINE_TEST_SAMPLE=N:WORD in the environment takes about one in N. Which ones depends on WORD: .ci/run gives the commit, so that
every commit runs others.

As a program, with words as its arguments: prints those of the sample, a line each. Without arguments and with what `ctest -N` prints as its input:
prints what `ctest -I` is to be told to run every test, but of those that are instantiated for several types, instruction sets or the like one in N of
the instances.
"""
import hashlib
import os
import re
import sys
import unittest

ONE_IN, _, WORD = os.environ.get("FOLDLINE_TEST_SAMPLE", "1").partition(":")


def place(case):
    return hashlib.sha256(f"{WORD} {case}".encode()).digest()


def sampled(cases):
    """Those of `cases`, a list, that run: at least one. A case is known by what it prints."""
    taken = set(sorted(map(str, cases), key=place)[: -(-len(cases) // int(ONE_IN))])
    return [case for case in cases if str(case) in taken]


def of_sampled_cases(test):
    """A test that always runs, since it takes a sample of its own cases."""
    test.of_sampled_cases = True
    return test


class SampledTest(unittest.TestCase):
    """A test of a sample runs, or is skipped."""

    def setUp(self):
        if hasattr(getattr(self, self._testMethodName), "of_sampled_cases"):
            return
        if int.from_bytes(place(self.id()), "big") % int(ONE_IN) != 0:
            self.skipTest("not of this sample")


def instances(listed):
    """Numbers, from 1, of the tests that run, of those that ctest has listed."""
    names = [name.split("  # ")[0].rstrip() for name in re.findall(r"^ *Test +#\d+: (.*)$", listed, re.MULTILINE)]
    of_one_test = {}
    for number, name in enumerate(names, 1):
        of_one_test.setdefault(name.rpartition("/")[0] or name, []).append((place(name), number))
    return sorted(number for some in of_one_test.values() for _, number in sorted(some)[: -(-len(some) // int(ONE_IN))])


if __name__ == "__main__":
    if sys.argv[1:]:
        print(*sampled(sys.argv[1:]), sep="\n")
    else:
        first, *others = instances(sys.stdin.read())
        print(first, first, 1, *others, sep=",")
