"""scan: all prefix sums, against fractions and numpy."""
import io
import math
import os
import resource
import subprocess
import unittest
from fractions import Fraction

import numpy

from command import COMMAND, CommandTest


def prefixes(values, start=0, exclusive=False):
    """The exact prefix sums, each rounded once to float64."""
    total, sums = Fraction(start), []
    for value in map(Fraction, values):
        sums.append(float(total if exclusive else total + value))
        total += value
    return sums


class Scans(CommandTest):
    def scanned(self, path, *options, **keywords):
        out = self.path("out.npy")
        self.assertEqual(self.result("scan", path, "-o", out, *options, **keywords), "")
        return numpy.load(out)

    def test_random_arrays(self):
        for seed in range(20):
            generator = numpy.random.default_rng(seed)
            count = int(generator.choice([0, 1, 2, 100, 3000]))
            array = generator.standard_normal(count) * numpy.exp2(generator.uniform(-300, 300, count))
            path = self.save("x.npy", array)
            self.assertEqual(self.scanned(path).tolist(), prefixes(array.tolist()), seed)
            found = self.scanned(path, "--exclusive", "--init", "0.1")
            self.assertEqual(found.tolist(), prefixes(array.tolist(), Fraction(0.1), True), seed)

    def test_what_numpy_loses(self):
        path = self.save("x.npy", numpy.array([1e308, 1e308, -1e308, 1.0]))
        self.assertEqual(self.scanned(path).tolist(), [1e308, math.inf, 1e308, 1e308])
        path = self.save("x.npy", numpy.array([1e16, 1, -1e16]))
        self.assertEqual(self.scanned(path).tolist(), [1e16, 1e16, 1])

    def test_several_blocks_and_threads(self):
        array = numpy.random.default_rng(1).integers(-1000, 1000, 2_000_000) / 8
        path = self.save("x.npy", array)
        expected = numpy.cumsum(array)  # without any rounding
        for threads in (1, 2, 5):
            numpy.testing.assert_array_equal(self.scanned(path, "--threads", threads), expected)
        with open(path, "rb") as file:
            numpy.testing.assert_array_equal(self.scanned("-", stdin=file.read()), expected)

    def test_types(self):
        self.assertEqual(self.scanned(self.save("x.npy", numpy.full(3, 0.1, numpy.float32))).dtype, numpy.float32)
        wide = self.scanned(self.path("x.npy"), "--output-type", "float64")
        self.assertEqual(wide.tolist(), prefixes(numpy.full(3, 0.1, numpy.float32).tolist()))
        bytes_ = self.save("b.npy", numpy.full(5, 100, numpy.int8))
        found = self.scanned(bytes_)
        self.assertEqual((found.dtype, found.tolist()), (numpy.int64, [100, 200, 300, 400, 500]))
        self.assertEqual(self.scanned(bytes_, "--output-type", "int8", "--overflow", "wrap").tolist(), [100, -56, 44, -112, -12])
        flags = self.save("f.npy", numpy.array([True, False, True]))
        found = self.scanned(flags, "--exclusive", "--init", 7)
        self.assertEqual((found.dtype, found.tolist()), (numpy.int64, [7, 8, 8]))
        large = self.save("u.npy", numpy.array([1, 2], numpy.uint64))
        self.assertEqual(self.scanned(large, "--exclusive", "--init", 2**64 - 2).tolist(), [2**64 - 2, 2**64 - 1])

    def test_texts(self):
        path = self.write("x.csv", b"a,b\n1,0.5\n2,\n3,1.5\n")
        self.assertEqual(self.scanned(path, "--column", "a").tolist(), [1, 3, 6])
        self.assertEqual(self.scanned(path, "--column", "b", "--skip-missing").tolist(), [0.5, 2])
        self.assertEqual(self.scanned("-", stdin=b"1e308\n1e308\n-1e308\n").tolist(), [1e308, math.inf, 1e308])
        numbers = numpy.random.default_rng(2).integers(-1000, 1000, 300_000) / 8
        path = self.write("x.txt", "\n".join(map(repr, numbers.tolist())).encode())
        numpy.testing.assert_array_equal(self.scanned(path), numpy.cumsum(numbers))

    def test_skipped_nans(self):
        array = numpy.random.default_rng(3).integers(-1000, 1000, 1_500_000) / 8
        array[::7] = numpy.nan
        path = self.save("x.npy", array)
        self.assertTrue(numpy.isnan(self.scanned(path)).all())
        numpy.testing.assert_array_equal(self.scanned(path, "--skip-nan"), numpy.cumsum(array[~numpy.isnan(array)]))

    def test_shapes(self):
        array = numpy.arange(12.0).reshape(3, 4)
        found = self.scanned(self.save("x.npy", array))
        self.assertEqual((found.shape, found.ravel().tolist()), ((3, 4), numpy.cumsum(array).tolist()))
        self.assertEqual(self.scanned(self.save("s.npy", numpy.array(2.5))).tolist(), 2.5)
        fortran = self.save("f.npy", numpy.asfortranarray(array))
        self.assertIn("Fortran order", self.error(1, "scan", fortran, "-o", self.path("out.npy")))

    def test_along_an_axis(self):
        generator = numpy.random.default_rng(4)
        for shape in ((7,), (3, 5), (2, 3, 4), (0, 3), (3, 0), (1, 70_000), (70_000, 2), (300, 1000)):
            array = generator.integers(-1000, 1000, shape) / 8
            for ordered in (array, numpy.asfortranarray(array)):
                path = self.save("x.npy", ordered)
                for axis in range(-len(shape), len(shape)):
                    found = self.scanned(path, "--axis", axis, "--threads", 2)
                    numpy.testing.assert_array_equal(found, numpy.cumsum(array, axis), f"{shape} {axis}")
        path = self.save("x.npy", numpy.arange(6.0).reshape(2, 3))
        found = self.scanned(path, "--axis", 1, "--exclusive", "--init", 0.5)
        self.assertEqual(found.tolist(), [[0.5, 0.5, 1.5], [0.5, 3.5, 7.5]])
        found = self.scanned(self.save("b.npy", numpy.full((2, 2), 100, numpy.int8)), "--axis", 0)
        self.assertEqual((found.dtype, found.tolist()), (numpy.int64, [[100, 100], [200, 200]]))

    def test_along_an_axis_of_matrices_larger_than_a_block(self):
        array = numpy.random.default_rng(5).integers(-1000, 1000, (2, 2200, 1000)) / 8
        found = self.scanned(self.save("x.npy", array), "--axis", 1, "--exclusive", "--init", 0.5)
        numpy.testing.assert_array_equal(found[:, 0], 0.5)
        numpy.testing.assert_array_equal(found[:, 1:], 0.5 + numpy.cumsum(array, 1)[:, :-1])

    def test_overflow(self):
        path = self.save("b.npy", numpy.full((3, 2), 100, numpy.int8))
        for options in ((), ("--axis", 0), ("--axis", 1)):
            message = self.error(1, "scan", path, "-o", self.path("out.npy"), "--output-type", "int8", *options)
            self.assertIn("b.npy: one of the sums does not fit int8", message)
            self.assertIn("--overflow wrap", message)
            self.assertNotIn("::", message)
            self.assertFalse(os.path.exists(self.path("out.npy")))

    def test_constant_memory(self):
        # 1 GB from a sparse file: nothing but blocks may be in memory.
        path, out = self.path("x.bin"), self.path("out.npy")
        with open(path, "wb") as file:
            file.truncate(1_000_000_000)
        process = subprocess.Popen(
            [COMMAND, "scan", path, "--input-type", "float64", "-o", "/dev/null", "--shape", "125000000"])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        self.assertEqual(status, 0)
        # exec keeps the peak of the process that it came from, which is this one
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.assertLess(usage.ru_maxrss, max(200_000 if "ASAN_OPTIONS" not in os.environ else 400_000, own + 1))  # KiB
        self.assertFalse(os.path.exists(out))

    def test_json_and_standard_output(self):
        path, out = self.save("x.npy", numpy.arange(4.0)), self.path("out.npy")
        report = self.json("scan", path, "-o", out)
        self.assertEqual((report["output"], report["output_type"], report["shape"]), (out, "float64", [4]))
        done = self.run_command("scan", path, "-o", "-")
        self.assertEqual(numpy.load(io.BytesIO(done.stdout)).tolist(), [0, 1, 3, 6])

    def test_a_pipe_of_unknown_length(self):
        # A header comes first and says how long the array is.
        self.assertIn("write to a file", self.error(1, "scan", "-", "-o", "-", stdin=b"1\n2\n"))

    def test_the_input_may_be_the_output(self):
        path = self.save("x.npy", numpy.ones(1_000_000))
        self.assertEqual(self.result("scan", path, "-o", path), "")
        numpy.testing.assert_array_equal(numpy.load(path), numpy.arange(1, 1_000_001))

    def test_all_or_nothing(self):
        out = self.write("out.npy", b"old")
        path = self.save("x.npy", numpy.array([2**64 - 1, 1], numpy.uint64))
        message = self.error(1, "scan", path, "-o", out)
        self.assertIn("scan: " + path, message)
        self.assertIn("does not fit uint64", message)
        text = self.write("x.txt", b"1\n2\nx\n")
        self.assertIn("line 3", self.error(1, "scan", text, "-o", out))
        with open(out, "rb") as file:
            self.assertEqual(file.read(), b"old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["out.npy", "x.npy", "x.txt"])

    def test_mistakes(self):
        path, out = self.save("x.npy", numpy.ones(3)), self.path("out.npy")
        for arguments, message in (
            ([path, "--json"], "name a file for the array"),
            ([path, path, "-o", out], "one argument too many"),
            ([path, "-o", out, "--init", "1"], "--exclusive"),
            ([path, "-o", out, "--exclusive", "--init", "one"], "'one' is not a number"),
            ([path, "-o", out, "--output-type", "int64"], "floating-point --output-type"),
            ([path, "-o", out, "--axis", "1"], "has no axis 1"),
            ([path, "-o", out, "--by", "x"], "--by"),
            ([self.write("x.csv", b"a,b\n1,2\n"), "-o", out, "--column", "a,b"], "one column"),
            ([path, "-o", "-", "--json"], "standard output"),
        ):
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.error(2, "scan", *arguments))
        whole = self.save("i.npy", numpy.arange(3))
        self.assertIn("--init", self.error(2, "scan", whole, "-o", out, "--exclusive", "--init", "0.5"))
        missing = os.path.join(self.folder, "no", "out.npy")
        self.assertIn(missing, self.error(1, "scan", path, "-o", missing))
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
