"""--device cuda: the bits of the CPU, in all that the command brings to a GPU. Skipped where there is none."""
import functools
import json
import subprocess
import unittest

import numpy

from command import COMMAND, CommandTest


class Gpu(CommandTest):
    def setUp(self):
        super().setUp()
        if not self.gpus():
            self.skipTest("there is no GPU")
        generator = numpy.random.default_rng(1)
        self.array = self.save("x.npy", generator.standard_normal((700, 301)) * numpy.exp2(generator.uniform(-9, 9, 301)))

    @classmethod
    @functools.cache
    def gpus(cls):
        """Asked once: the command measures the memory's speed, too."""
        return json.loads(subprocess.run([COMMAND, "info", "--json"], check=True, capture_output=True).stdout)["gpus"]

    def files(self, *arguments):
        """What a command writes on the CPU and on the GPU."""
        written = []
        for device in ("cpu", "cuda"):
            out = self.path(f"{device}.npy")
            self.assertEqual(self.result(*arguments, "-o", out, "--device", device), "")
            with open(out, "rb") as file:
                written.append(file.read())
        return written

    def test_results(self):
        for command in ("sum", "mean", "variance", "std", "standard-error", "norm", "rms", "abs-sum", "min", "max"):
            cpu, gpu = (self.result(command, self.array, "--format", "hex", "--device", device) for device in ("cpu", "cuda"))
            self.assertEqual(cpu, gpu, command)
        self.assertEqual(self.json("sum", self.array, "--device", "cuda")["device"], "cuda:0")

    def test_all_gpus_share_files(self):
        files = [self.save(f"{i}.npy", numpy.random.default_rng(i).standard_normal(3_000_000) * numpy.exp2(200.0 * i)) for i in range(3)]
        table = self.write("table.csv", b"a,b\n" + b"".join(b"%d.1,%d\n" % (i, -i) for i in range(1000)))
        for arguments in (("sum", *files), ("variance", *files), ("stats", files[0]), ("sum", table, "--each-column"), ("dot", files[0], files[1]), ("sum", self.array)):
            cpu, gpu = (self.result(*arguments, "--format", "hex", "--device", device) for device in ("cpu", "cuda:all"))
            self.assertEqual(cpu, gpu, arguments)
        self.assertEqual(self.json("sum", *files, "--device", "cuda:all")["device"], "cuda:all")

    def test_a_product_has_the_bits_of_the_cpu(self):
        a, b = (self.save(name, numpy.random.default_rng(seed).standard_normal((70, 70))) for name, seed in (("a.npy", 1), ("b.npy", 2)))
        for options in ((), ("--output-type", "float32")):
            cpu, gpu = self.files("matmul", a, b, *options)
            self.assertEqual(cpu, gpu, options)

    def test_scans(self):
        for options in ((), ("--exclusive", "--init", "0.1"), ("--output-type", "float32")):
            cpu, gpu = self.files("scan", self.array, *options)
            self.assertEqual(cpu, gpu, options)

    def test_axes(self):
        for command in ("sum", "mean", "variance", "std", "standard-error", "norm", "rms", "max"):
            for axis in (0, 1):
                cpu, gpu = self.files(command, self.array, "--axis", axis)
                self.assertEqual(cpu, gpu, (command, axis))

    def test_formulas(self):
        if b"NVRTC, which is not here" in self.run_command("integrate", "x", 0, 1, "--rule", "midpoint", "-n", 1, "--device", "cuda").stderr:
            self.skipTest("there is no NVRTC")
        for formula in ("4/(1+x*x)", "sqrt(abs(x-0.5))*sign(x-0.25)+1/max(x,1)", "0.1", "1/(8*x-3)", "mod(x,0.125)*min(x,-x)-floor(8*x)/3"):
            for rule in ("midpoint", "trapezoid", "simpson", "gauss-legendre"):
                options = ("integrate", formula, 0, 1, "--rule", rule, "-n", 100000, "--json")
                cpu, gpu = (self.json(*options, "--device", device) for device in ("cpu", "cuda"))
                self.assertEqual(cpu, gpu)
        cpu, gpu = (float(self.result("integrate", "exp(x)*sin(x)^2", 0, 1, "--rule", "simpson", "-n", 1000, "--device", device)) for device in ("cpu", "cuda"))
        self.assertAlmostEqual(cpu, gpu, places=14)
        self.assertIn("1.99", self.result("integrate", "exp(x)", 0, 1, "--compare", "--device", "cuda"))

    def test_info(self):
        for gpu in self.json("info")["gpus"]:
            self.assertGreater(gpu["read_gigabytes_per_second"], 10)
            self.assertGreater(gpu["copy_gigabytes_per_second"], 10)
        self.assertIn("memory: read", self.result("info").splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
