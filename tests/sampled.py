"""A sample of tests that take long, for .ci/run: ./test runs all.

FOLDLINE_TEST_SAMPLE=N:WORD in the environment takes about one in N. Which ones depends on WORD: .ci/run gives the commit, so that
every commit runs others.
"""
import hashlib
import os
import unittest

ONE_IN, _, WORD = os.environ.get("FOLDLINE_TEST_SAMPLE", "1").partition(":")


def place(case):
    return hashlib.sha256(f"{WORD} {case}".encode()).digest()


def sampled(cases):
    """Those of `cases`, a list, that run: at least one. A case is known by what it prints."""
    taken = set(sorted(map(str, cases), key=place)[: -(-len(cases) // int(ONE_IN))])
    return [case for case in cases if str(case) in taken]


class SampledTest(unittest.TestCase):
    """A test of a sample runs, or is skipped."""

    def setUp(self):
        if int.from_bytes(place(self.id()), "big") % int(ONE_IN) != 0:
            self.skipTest("not of this sample")
