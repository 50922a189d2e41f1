"""Arrays of results as CSV, text and .npy: what is written reads back to the same bits, and no file has another content
than its name says."""
import csv
import io
import os
import subprocess
import unittest

import numpy

from command import COMMAND, CommandTest

EXTREMES = [0.1, -0.0, 5e-324, -1.7976931348623157e308, 1e22, 123456789.0, numpy.inf, 2.0**-1074 * 3, 1 / 3]


def bits(array):
    return numpy.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").tolist()


class TextOutputs(CommandTest):
    def read(self, path):
        with open(path, "rb") as file:
            return file.read().decode()

    def test_scans_read_back_to_the_same_bits(self):
        random = numpy.random.default_rng(1)
        wide = random.normal(size=3000) * 2.0 ** random.integers(-300, 300, size=3000)
        for x in (wide, numpy.array(EXTREMES), wide[:0], wide[:1], (wide % 100).astype("f4"), (wide % 100).astype("f2")):
            path, expected = self.save("x.npy", x), self.path("sums.npy")
            self.result("scan", path, "-o", expected)
            expected = numpy.load(expected)
            for name in ("sums.csv", "sums.TSV", "sums.txt", "sums.dat"):
                out = self.path(name)
                self.assertEqual(self.result("scan", path, "-o", out), "")
                lines = self.read(out).splitlines()
                self.assertEqual(bits(numpy.array(list(map(float, lines)), expected.dtype)), bits(expected))
                if x.size:
                    again = self.path("again.npy")  # by foldline's own reader
                    self.result("scan", out, "--input-type", expected.dtype, "-o", again)
                    of_npy = self.path("of_npy.npy")
                    self.result("scan", self.path("sums.npy"), "-o", of_npy)
                    self.assertEqual(bits(numpy.load(again)), bits(numpy.load(of_npy)))
                hexadecimal = self.result("scan", path, "-o", "-", "--output-format", "text", "--format", "hex").splitlines()
                self.assertEqual(list(map(float.fromhex, hexadecimal)), expected.astype(float).tolist())

    def test_integers(self):
        path = self.save("i.npy", numpy.array([2**62, 2**62 - 1, -5, 7]))
        self.result("scan", path, "--exclusive", "-o", self.path("o.csv"))
        self.assertEqual(self.read(self.path("o.csv")), f"0\n{2**62}\n{2**63 - 1}\n{2**63 - 6}\n")

    def test_without_a_file_lines_are_printed(self):
        self.assertEqual(self.result("scan", "-", stdin=b"1\n2.5\n-0.5\n"), "1\n3.5\n3")
        self.assertEqual(self.result("scan", "-", "--text", stdin=b""), "")
        matrix = self.save("m.npy", numpy.arange(6.0).reshape(2, 3))
        self.assertEqual(self.result("scan", matrix, "--axis", 1), "0 1 3\n3 7 12")
        self.assertEqual(self.result("matmul", matrix, self.save("v.npy", numpy.ones((3, 1)))), "3\n12")
        many = self.path("many.txt")
        numpy.savetxt(many, numpy.ones(300_000), fmt="%g")
        self.assertEqual(self.result("scan", many).split("\n"), [str(i) for i in range(1, 300_001)])

    def test_matrices(self):
        random = numpy.random.default_rng(2)
        for order in "CF":
            a = numpy.array(random.normal(size=(7, 5)), order=order)
            path = self.save("a.npy", a)
            self.result("scan", path, "--axis", 0, "-o", self.path("o.npy"))
            expected = numpy.load(self.path("o.npy"))
            for name, separator in (("o.csv", ","), ("o.tsv", "\t"), ("o.txt", " ")):
                self.result("scan", path, "--axis", 0, "-o", self.path(name))
                rows = [list(map(float, line.split(separator))) for line in self.read(self.path(name)).splitlines()]
                self.assertEqual(rows, expected.tolist())
            product = self.path("p.csv")
            self.result("matmul", path, self.save("b.npy", a.T.copy()), "-o", product)
            self.result("matmul", path, self.path("b.npy"), "-o", self.path("p.npy"))
            numpy.testing.assert_array_equal(numpy.loadtxt(product, delimiter=","), numpy.load(self.path("p.npy")))
            self.result("sum", path, "--axis", -1, "-o", self.path("s.csv"))
            self.result("sum", path, "--axis", -1, "-o", self.path("s.npy"))
            numpy.testing.assert_array_equal(numpy.loadtxt(self.path("s.csv")), numpy.load(self.path("s.npy")))

    def test_more_than_two_axes(self):
        for order in "CF":
            path = self.save("cube.npy", numpy.array(numpy.arange(24.0).reshape(2, 3, 4), order=order))
            for name in ("o.csv", "o.tsv"):
                message = self.error(2, "scan", path, "--axis", 0, "-o", self.path(name))
                self.assertIn("have 3 axes, a table has two; write a .npy file", message)
                self.assertFalse(os.path.exists(self.path(name)))
            self.result("sum", path, "--axis", 0, "-o", self.path("two.csv"))
            self.assertEqual(self.read(self.path("two.csv")), "12,14,16,18\n20,22,24,26\n28,30,32,34\n")
            self.assertEqual(self.result("scan", path, "--axis", 2, "--exclusive"),
                             "0 0 1 3\n0 4 9 15\n0 8 17 27\n\n0 12 25 39\n0 16 33 51\n0 20 41 63")

    def test_headings(self):
        for name in ("price", 'a "b", c', "# no comment", " blanks ", "Größe"):
            quoted = '"' + name.replace('"', '""') + '"'
            table = self.write("t.csv", f"id,{quoted}\n1,2\n2,3\n".encode())
            for out, separator in (("o.csv", ","), ("o.tsv", "\t")):
                out = self.path(out)
                self.result("scan", table, "--column", 2, "-o", out)
                self.assertEqual(list(csv.reader(io.StringIO(self.read(out)), delimiter=separator)), [[name], ["2"], ["5"]])
                self.assertEqual(self.result("sum", out), "7")
            self.result("trapezoid", table, "--column", 2, "-o", self.path("o.csv"))
            self.assertEqual(list(csv.reader(io.StringIO(self.read(self.path("o.csv"))))), [[name], ["0"], ["2.5"]])
            self.result("scan", table, "--column", 2, "-o", self.path("o.txt"))
            self.assertEqual(self.read(self.path("o.txt")), "2\n5\n")
        plain = self.write("plain.csv", b"1,2\n3,4\n")
        self.result("scan", plain, "--column", 2, "-o", self.path("o.csv"))
        self.assertEqual(self.read(self.path("o.csv")), "2\n6\n")

    def test_integrals_up_to_each_sample(self):
        y = numpy.random.default_rng(3).normal(size=1000)
        path = self.save("y.npy", y)
        self.result("trapezoid", path, "-o", self.path("o.npy"))
        self.result("trapezoid", path, "-o", self.path("o.csv"))
        self.assertEqual(list(map(float, self.read(self.path("o.csv")).split())), numpy.load(self.path("o.npy")).tolist())


class Names(CommandTest):
    def test_a_text_has_no_axes(self):
        text = self.write("x.txt", b"1\n2\n")
        self.assertIn("leave out --axis", self.error(2, "scan", text, "--axis", 0))
        self.assertIn("give --each-column", self.error(2, "sum", text, "--axis", 0))
        self.assertIn("no axes; give a .npy file", self.error(2, "matmul", text, text))

    def test_no_name_has_another_content_than_it_says(self):
        path = self.save("x.npy", numpy.ones((2, 2)))
        y = self.save("y.npy", numpy.ones(2))
        commands = (("scan", path), ("sum", path, "--axis", 0), ("trapezoid", y), ("matmul", path, path))
        for command in commands:
            for name in ("out", "out.bin", "out.npz", "out.csv.gz", "npy", ".json"):
                message = self.error(2, *command, "-o", self.path(name))
                self.assertIn(".npy, .csv, .tsv, .txt or .dat", message)
            self.assertIn("another format", self.error(2, *command, "-o", self.path("o.csv"), "--output-format", "npy"))
            self.result(*command, "-o", self.path("o.bin"), "--output-format", "npy")
            numpy.load(self.path("o.bin"))
            self.result(*command, "-o", self.path("o.NPY"))
            numpy.load(self.path("o.NPY"))
            self.result(*command, "-o", self.path("o.unknown"), "--output-format", "csv")
            self.assertEqual(numpy.loadtxt(self.path("o.unknown"), delimiter=",").size, numpy.load(self.path("o.NPY")).size)
            self.assertIn("'cvs' is not one of", self.error(2, *command, "-o", self.path("o"), "--output-format", "cvs"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["o.NPY", "o.bin", "o.unknown", "x.npy", "y.npy"])

    def test_standard_output(self):
        path = self.save("x.npy", numpy.array([[1.0, 2], [3, 4]]))
        done = self.run_command("scan", path, "--axis", 0, "-o", "-")
        self.assertTrue(done.stdout.startswith(b"\x93NUMPY"))
        for arguments in (("--output-format", "csv"), ("-o", "-", "--output-format", "csv")):
            self.assertEqual(self.result("scan", path, "--axis", 0, *arguments), "1,2\n4,6")
            self.assertEqual(self.result("sum", path, "--axis", 0, *arguments), "4\n6")
            self.assertIn("name a file", self.error(2, "sum", path, "--axis", 0, "--json", *arguments))
        self.assertEqual(self.result("sum", path, "--axis", 0), "4 6")
        self.assertEqual(self.json("sum", path, "--axis", 0)["result"], [4, 6])
        self.assertEqual(self.json("scan", path, "-o", self.path("o.csv"))["output"], self.path("o.csv"))
        self.assertIn("--output-format", self.error(2, "sum", path, "--output-format", "npy"))
        y = self.save("y.npy", numpy.ones(2))
        self.assertIn("--output-format", self.error(2, "trapezoid", y, "--output-format", "csv"))

    def test_pipes_and_devices(self):
        path = self.save("x.npy", numpy.arange(4.0))
        shell = f"'{COMMAND}' scan '{path}' -o >(cat > '{self.path('copy')}'); sleep 0.3"
        subprocess.run(["bash", "-c", shell], check=True, timeout=60)
        numpy.testing.assert_array_equal(numpy.load(self.path("copy")), [0, 1, 3, 6])
        self.result("scan", path, "-o", "/dev/null")
        message = self.error(1, "scan", path, "-o", "/dev/full", "--output-format", "csv")
        self.assertIn("/dev/full: cannot be written", message)

    def test_all_or_nothing(self):
        out = self.write("out.csv", b"old\n")
        text = self.write("x.txt", b"1\n2\nx\n")
        self.assertIn("line 3", self.error(1, "scan", text, "-o", out))
        with open(out, "rb") as file:
            self.assertEqual(file.read(), b"old\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["out.csv", "x.txt"])
        self.result("scan", self.write("x.txt", b"1\n2\n"), "-o", self.path("x.txt"))
        with open(self.path("x.txt"), "rb") as file:
            self.assertEqual(file.read(), b"1\n3\n")

    def test_constant_memory(self):
        self.skip_with_a_sanitizer()
        path = self.path("large.txt")
        with open(path, "wb") as file:
            file.write(b"0.1\n" * 4_000_000)
        command = f"ulimit -v 400000; '{COMMAND}' scan '{path}' -o '{self.path('o.csv')}' --threads 2"
        subprocess.run(["bash", "-c", command], check=True, timeout=120)
        self.assertGreater(os.path.getsize(self.path("o.csv")), 4_000_000)


if __name__ == "__main__":
    unittest.main()
