"""--axis: arrays of results, against math.fsum and fractions."""
import io
import math
import os
import stat
import subprocess
import sys
import time
import unittest
from fractions import Fraction

import numpy

from command import COMMAND, CommandTest, of_sampled_cases, sampled


def sums(array, axis):
    return numpy.apply_along_axis(math.fsum, axis, array.astype(float))


class Axis(CommandTest):
    def reduced(self, operation, path, axis, *options):
        """The array that the command writes."""
        out = self.path("out.npy")
        self.assertEqual(self.result(operation, path, "--axis", axis, "-o", out, *options), "")
        return numpy.load(out)

    def test_every_axis_and_order(self):
        generator = numpy.random.default_rng(1)
        for shape in ((7,), (3, 5), (2, 3, 4), (5, 1, 3, 2), (1, 70_000), (70_000, 2)):
            array = generator.standard_normal(shape) * numpy.exp2(generator.integers(-40, 40, shape))
            for ordered in (array, numpy.asfortranarray(array)):
                path = self.save("x.npy", ordered)
                for axis in range(-len(shape), len(shape)):
                    found = self.reduced("sum", path, axis)
                    self.assertEqual(found.dtype, numpy.float64)
                    numpy.testing.assert_array_equal(found, sums(array, axis), f"{shape} {axis}")

    def test_operations(self):
        array = numpy.random.default_rng(2).standard_normal((40, 6))
        path = self.save("x.npy", array)
        columns = [[Fraction(x) for x in column] for column in array.T.tolist()]
        means = [sum(c) / len(c) for c in columns]
        variances = [sum((x - m) ** 2 for x in c) / (len(c) - 1) for c, m in zip(columns, means)]
        expected = {"mean": means, "variance": variances, "abs-sum": [sum(map(abs, c)) for c in columns],
                    "min": map(min, columns), "max": map(max, columns)}
        for operation, values in expected.items():
            options = ("--ddof", 1) if operation == "variance" else ()
            found = self.reduced(operation, path, 0, *options)
            numpy.testing.assert_array_equal(found, [float(x) for x in values], operation)
        numpy.testing.assert_allclose(self.reduced("norm", path, 0), numpy.linalg.norm(array, axis=0), 1e-15)

    def test_printed(self):
        path = self.save("x.npy", numpy.arange(24.0).reshape(2, 3, 4))
        self.assertEqual(self.result("sum", path, "--axis", 2), "6 22 38\n54 70 86")
        self.assertEqual(self.result("sum", path, "--axis", 0, "--format", "hex").split()[0], "0x1.8p+3")
        self.assertEqual(self.result("sum", self.save("y.npy", numpy.arange(4.0)), "--axis", 0), "6")
        report = self.json("sum", path, "--axis", -1)
        self.assertEqual(report["result"], [[6, 22, 38], [54, 70, 86]])
        self.assertEqual((report["axis"], report["count"], report["shape"], report["result_shape"]), (2, 4, [2, 3, 4], [2, 3]))
        fortran = self.save("f.npy", numpy.asfortranarray(numpy.arange(24.0).reshape(2, 3, 4)))
        self.assertEqual(self.json("sum", fortran, "--axis", -1)["result"], report["result"])

    def test_types(self):
        array = numpy.array([[127, 1], [127, 2]], numpy.int8)
        path = self.save("x.npy", array)
        found = self.reduced("sum", path, 0)
        self.assertEqual((found.dtype, found.tolist()), (numpy.int64, [254, 3]))
        found = self.reduced("max", path, 0)
        self.assertEqual((found.dtype, found.tolist()), (numpy.int8, [127, 2]))
        found = self.reduced("mean", path, 1, "--output-type", "float32")
        self.assertEqual((found.dtype, found.tolist()), (numpy.float32, [64, 64.5]))
        found = self.reduced("sum", self.save("b.npy", array > 1), 0)
        self.assertEqual(found.tolist(), [2, 1])
        self.assertIn("NumPy has no bfloat16", self.error(1, "sum", path, "--axis", 0, "-o", self.path("b.npy"), "--output-type", "bfloat16"))

    def test_raw_numbers_and_pipes(self):
        array = numpy.arange(12.0).reshape(3, 4)
        options = ("--input-type", "float64", "--axis", 0)
        self.assertEqual(self.result("sum", "-", *options, "--shape", "3,4", stdin=array.tobytes()), "12 15 18 21")
        self.assertIn("--shape", self.error(2, "sum", "-", *options, stdin=array.tobytes()))
        file = io.BytesIO()
        numpy.save(file, array)
        self.assertEqual(self.result("sum", "-", "--axis", 1, stdin=file.getvalue()), "6 22 38")

    def test_empty_axes(self):
        path = self.save("x.npy", numpy.ones((0, 3)))
        self.assertEqual(self.reduced("sum", path, 0).tolist(), [0, 0, 0])
        self.assertEqual(self.reduced("sum", path, 1).shape, (0,))
        self.assertIn("no elements along axis 0", self.error(1, "min", path, "--axis", 0))
        self.assertEqual(self.reduced("min", path, 1).shape, (0,))

    def test_an_array_that_the_limit_does_not_let_in(self):
        # With 100 MB of address space beside the program, which may have much code for GPUs, a file of 160 MB cannot be mapped, and is
        # read instead.
        self.skip_with_a_sanitizer()
        array = numpy.random.default_rng(3).standard_normal((4_000_000, 5))
        path, out = self.save("x.npy", array), self.path("out.npy")
        command = f"ulimit -v {100_000 + os.path.getsize(COMMAND) // 1024}; '{COMMAND}' sum '{path}' --axis 0 -o '{out}' --threads 1 --explain"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("an accumulator for each", done.stderr)
        numpy.testing.assert_array_equal(numpy.load(out), [math.fsum(column) for column in array.T])

    def ways(self, array, axis, operation="sum", *options):
        """What comes of an array as a file, in the other byte order, and through a pipe, with one thread and with several."""
        path, swapped = self.save("x.npy", array), self.save("y.npy", array.astype(array.dtype.newbyteorder()))
        with open(path, "rb") as file:
            content = file.read()
        out = self.path("out.npy")
        for threads in (1, 3):
            for name, stdin in ((path, b""), (swapped, b""), ("-", content)):
                arguments = (operation, name, "--axis", axis, "-o", out, "--threads", threads, *options)
                self.assertEqual(self.result(*arguments, stdin=stdin), "")
                yield numpy.load(out), (name, threads)

    @of_sampled_cases
    def test_shapes_of_every_way(self):
        generator = numpy.random.default_rng(4)
        shapes = ((400_000, 4), (30_000, 64), (100, 16_500), (300, 20_000), (4, 500_000), (2, 60_000, 20), (30, 1000, 70), (3, 2, 200_000), (1_500_000,))
        for shape in sampled(shapes):
            array = generator.integers(-2**40, 2**40, shape) / 2.0**20
            for dtype in (numpy.float64, numpy.int64):
                whole = (array * 2**20).astype(numpy.int64)  # exact sums, by NumPy's integers
                for axis in range(len(shape)):
                    expected = whole.sum(axis=axis)
                    if dtype is numpy.float64:
                        expected = expected / 2.0**20
                    for found, way in self.ways(array if dtype is numpy.float64 else whole, axis):
                        numpy.testing.assert_array_equal(found, expected, f"{shape} {axis} {way}")

    @of_sampled_cases
    def test_operations_of_every_way(self):
        array = numpy.random.default_rng(6).integers(-1000, 1000, (90, 17_000)).astype(numpy.float64)
        for a in (array, array.T.copy(), array[:, :9000].reshape(45, 2, 9000)):
            for axis in range(a.ndim):
                results = {"mean": a.sum(axis) / a.shape[axis], "min": a.min(axis), "max": a.max(axis), "abs-sum": abs(a).sum(axis), "norm": numpy.sqrt((a * a).sum(axis))}
                for operation in sampled(list(results)):
                    expected = results[operation]
                    for found, way in self.ways(a, axis, operation):
                        numpy.testing.assert_array_equal(found, expected, f"{operation} {a.shape} {axis} {way}")

    def test_little_memory(self):
        """Of sparse files, which take no room, through a pipe too: 64 MB beside the results."""
        self.skip_with_a_sanitizer()
        elements = 2**24  # 128 MB
        for shape, axis in (((elements // 4, 4), 0), ((elements // 64, 64), 0), ((elements // 16384, 16384), 0), ((8, elements // 8), 0), ((1024, elements // 1024), 0), ((elements,), 0), ((elements // 4, 4), 1)):
            path, out = self.path("sparse.npy"), self.path("out.npy")
            with open(path, "wb") as file:
                numpy.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
                file.truncate(file.tell() + 8 * elements)
            for stdin in (None, path):
                peak = self.peak(["sum", "-" if stdin else path, "--axis", str(axis), "--threads", "1", "-o", out], stdin)
                accumulators = 50 * shape[-1] if stdin and axis == 0 and len(shape) > 1 else 0
                self.assertLess(peak, 64_000_000 + accumulators, f"{shape} {stdin}")
                self.assertEqual(numpy.load(out).any(), False)

    def test_a_file_that_becomes_shorter(self):
        # Standard output is a pipe that nobody empties, so that the command waits, with most of the file unread.
        path = self.path("x.npy")
        with open(path, "wb") as file:
            numpy.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (2_000_000, 16)})
            file.truncate(file.tell() + 8 * 32_000_000)
        for threads in ("1", "3"):
            child = subprocess.Popen([COMMAND, "sum", path, "--axis", "1", "-o", "-", "--threads", threads], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            child.stdout.read(1000)
            time.sleep(0.2)
            os.truncate(path, 150_000_000)
            message = child.communicate()[1].decode()
            self.assertEqual(child.returncode, 1, message)
            self.assertIn("x.npy: was truncated while it was read", message)
            self.assertEqual(message.count("\n"), 1)
            os.truncate(path, 256_000_128)

    def test_mistakes(self):
        path = self.save("x.npy", numpy.ones((2, 3)))
        self.assertIn("its axes are 0 to 1, or -2 to -1", self.error(2, "sum", path, "--axis", 2))
        self.assertIn("has no axis -3", self.error(2, "sum", path, "--axis", -3))
        self.assertIn("single number", self.error(2, "sum", self.save("s.npy", numpy.array(1.0)), "--axis", 0))
        self.assertIn("a text, which has no axes", self.error(2, "sum", "-", "--axis", 0, stdin=b"1 2\n"))
        for options in (["--by", "x"], ["--skip-nan"], [path], ["--format", "exact"]):
            self.error(2, "sum", path, "--axis", 0, *options)
        self.assertIn("whole number", self.error(2, "sum", path, "--axis", "first"))
        self.assertIn("--axis", self.error(2, "sum", path, "-o", self.path("y.npy")))
        self.assertIn("floating-point", self.error(2, "mean", path, "--axis", 0, "--output-type", "int8"))
        self.assertIn("sum", self.error(1, "sum", self.save("u.npy", numpy.full((2, 2), 2**64 - 1, numpy.uint64)), "--axis", 0))


class OutputFiles(CommandTest):
    def test_all_or_nothing(self):
        path = self.save("x.npy", numpy.full((2, 2), 2**64 - 1, numpy.uint64))
        out = self.write("out.npy", b"old")
        self.error(1, "sum", path, "--axis", 0, "-o", out)
        with open(out, "rb") as file:
            self.assertEqual(file.read(), b"old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["out.npy", "x.npy"])

    def test_the_input_may_be_the_output(self):
        path = self.save("x.npy", numpy.arange(6.0).reshape(2, 3))
        self.assertEqual(self.result("sum", path, "--axis", 0, "-o", path), "")
        self.assertEqual(numpy.load(path).tolist(), [3, 5, 7])

    def test_standard_output(self):
        path = self.save("x.npy", numpy.arange(6.0).reshape(2, 3))
        done = self.run_command("sum", path, "--axis", 0, "-o", "-")
        self.assertEqual(numpy.load(io.BytesIO(done.stdout)).tolist(), [3, 5, 7])
        self.assertIn("standard output", self.error(2, "sum", path, "--axis", 0, "-o", "-", "--json"))

    def test_files_that_cannot_be_written(self):
        path = self.save("x.npy", numpy.ones((2, 3)))
        missing = os.path.join(self.folder, "no", "such", "out.npy")
        self.assertIn(missing, self.error(1, "sum", path, "--axis", 0, "-o", missing))
        self.assertIn(self.folder, self.error(1, "sum", path, "--axis", 0, "-o", self.folder))
        if os.geteuid() != 0:
            closed = self.path("closed")
            os.mkdir(closed, stat.S_IRUSR | stat.S_IXUSR)
            self.assertIn("permission", self.error(1, "sum", path, "--axis", 0, "-o", os.path.join(closed, "x.npy")))

    def test_json_beside_a_file(self):
        path, out = self.save("x.npy", numpy.ones((2, 3))), self.path("out.npy")
        report = self.json("sum", path, "--axis", 0, "-o", out)
        self.assertEqual((report["output"], report["result_shape"]), (out, [3]))
        self.assertNotIn("result", report)


if __name__ == "__main__":
    unittest.main()
