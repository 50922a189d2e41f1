"""integrate: formulas to a tolerance, by rules, compared, and refused."""
import json
import math
import unittest

from command import CommandTest


class Integrals(CommandTest):
    def value(self, *arguments):
        return float(self.result("integrate", *arguments))

    def test_to_a_tolerance(self):
        exact = math.sqrt(math.pi) / 2 * math.exp(-9 / 4)
        self.assertAlmostEqual(self.value("exp(-x^2)*cos(3*x)", "0", "inf", "--tolerance", "1e-12"), exact, delta=1e-12)
        self.assertAlmostEqual(self.value("log(x)/sqrt(x)", 0, 1, "--method", "tanh-sinh"), -4, delta=1e-13)
        self.assertEqual(self.value("x", 0, 1), 0.5)

    def test_words_that_begin_with_a_minus_sign(self):
        self.assertAlmostEqual(self.value("-x^2", "-1", "1"), -2 / 3, delta=1e-15)
        self.assertAlmostEqual(self.value("exp(x)", "-inf", "-ln(2)"), 0.5, delta=1e-10)
        self.assertEqual(self.json("integrate", "-x", 0, 1)["formula"], "-x")
        self.assertIn("unknown option '--tolerence'; did you mean '--tolerance'?",
                      self.error(2, "integrate", "-x", 0, 1, "--tolerence", "1"))

    def test_by_a_rule(self):
        for rule, allowed in (("midpoint", 1e-6), ("trapezoid", 1e-6), ("simpson", 1e-12), ("gauss-legendre", 1e-15)):
            found = self.value("4/(1+x^2)", 0, 1, "--rule", rule, "-n", 1000)
            self.assertAlmostEqual(found, math.pi, delta=allowed)
        many = self.result("integrate", "4/(1+x^2)", 0, 1, "--rule", "simpson", "-n", 1000000)
        self.assertEqual(float(many), math.pi)
        for threads in (1, 2, 3):
            self.assertEqual(self.result("integrate", "4/(1+x^2)", 0, 1, "--rule", "simpson", "-n1000000", "--threads", threads), many)

    def test_json(self):
        found = self.json("integrate", "1/(1+x^2)", "-inf", "inf")
        self.assertAlmostEqual(found["result"], math.pi, delta=1e-9)
        self.assertEqual(float.fromhex(found["hex"]), found["result"])
        self.assertEqual((found["from"], found["to"], found["converged"], found["non_finite"]), ("-inf", "inf", True, 0))
        found = self.failed_json("integrate", "1/x", "-1", "1", "--rule", "trapezoid", "-n", 4)
        self.assertEqual((found["result"], found["non_finite"], found["evaluations"]), (None, 1, 5))
        found = self.json("integrate", "x", 0, "1e308", "--rule", "trapezoid", "-n", 2)  # larger than any double
        self.assertEqual((found["result"], found["hex"], found["non_finite"]), (None, "inf", 0))

    def test_compare(self):
        rows = self.json("integrate", "exp(x)", 0, 1, "--compare", "-n", 64)["rows"]
        self.assertEqual([row["n"] for row in rows], [2, 4, 8, 16, 32, 64])
        for rule, order in (("midpoint", 2), ("trapezoid", 2), ("simpson", 4)):
            self.assertAlmostEqual(math.log2(rows[-2][rule] / rows[-1][rule]), order, delta=0.01)
        text = self.result("integrate", "exp(x)", 0, 1, "--compare").splitlines()
        self.assertEqual(len(text), 12)
        self.assertTrue(all(line == line.rstrip() for line in text))

    def test_plain_sums_drift(self):
        def errors(rule, *options):
            rows = self.json("integrate", "1/(1+x)", 0, 1, "--compare", "-n", 2**17, *options)["rows"]
            return [row[rule] for row in rows]
        for rule, order in (("midpoint", 2), ("trapezoid", 2), ("simpson", 4), ("gauss 2", 4)):
            exact, plain = errors(rule), errors(rule, "--plain-sums")
            self.assertAlmostEqual(math.log2(plain[3] / plain[4]), order, delta=0.05)  # from 16 to 32
            self.assertAlmostEqual(plain[4], exact[4], delta=1e-15)
        ulp = 2.0 ** -53
        for rule in ("simpson", "gauss 5"):
            self.assertLessEqual(max(errors(rule)[-4:]), 2 * ulp)
            self.assertGreater(max(errors(rule, "--plain-sums")[-4:]), 10 * ulp)
        self.assertIn("finite ends", self.error(1, "integrate", "exp(-x)", 0, "inf", "--compare", "--plain-sums"))

    def test_what_cannot_be_reached(self):
        message = self.error(1, "integrate", "sin(1000*x)", 0, 9, "--max-evaluations", 100)
        self.assertIn("tolerance 1e-10 was not reached: the best value of ", message)
        self.assertIn("more --max-evaluations", message)
        message = self.error(1, "integrate", "1/sqrt(1-x)", 0, 1, "--tolerance", "1e-15")
        self.assertIn("is that of rounding, near x = 1; try a larger --tolerance", message)
        self.assertIn("1 of 5 samples are infinite", self.error(1, "integrate", "1/x", "-1", 1, "--rule", "trapezoid", "-n", 4))
        self.assertIn("nothing to compare with: did not converge: the integral may diverge near x = 0,",
                      self.error(1, "integrate", "1/x", 0, 1, "--compare"))

    def test_what_diverges(self):
        for formula, begin, end, place in (("1/(x-0.3)", 0, 1, "near x = 0.3,"), ("x^(-1.01)", 0, 1, "near x = 0,"),
                                           ("1/(x-0.5)", 0, 1, "near x = 0.5,"), ("1/x", 0, 1, "near x = 0,"),
                                           ("1/x", -1, 1, "near x = 0,"), ("x/(x^2-0.09)", -1, 1, "near x = "),
                                           ("1/(x-0.3)^2", 0, 1, "near x = 0.3,"), ("tan(pi*x)", 0, 1, "near x = 0.5,"),
                                           ("1/(x-1)", 3, 0, "near x = 1,"), ("1/(1-x)", 0, 1, "near x = 1,"),
                                           ("1/(x*log(x))", 0, 0.5, "near x = 0,"), ("1/abs(x-1/3)", 0, 1, "near x = 0.333333,"),
                                           ("1/(x^2-2)", 0, 2, "near x = 1.41421,"), ("1/x", 1, "inf", "towards x = inf,"),
                                           ("1/x", "-inf", -1, "towards x = -inf,"), ("1/sqrt(x)", 1, "inf", "towards x = inf,"),
                                           ("x", "-inf", "inf", "towards x = "), ("1", 0, "inf", "towards x = inf,"),
                                           ("exp(x)", 0, "inf", "towards x = inf,"), ("1+0.001/(x-0.3)", 0, 1, "near x = 0.3,")):
            for tolerance in ("1e-4", "1e-6", "1e-10"):
                message = self.error(1, "integrate", formula, begin, end, "--tolerance", tolerance)
                self.assertIn("did not converge: the integral may diverge " + place, message, formula)
                self.assertIn("try --method tanh-sinh or a larger --tolerance", message)
        self.assertIn("split the range there, try", self.error(1, "integrate", "1/(x-0.3)", 0, 1))
        self.assertNotIn("split", self.error(1, "integrate", "1/x", 0, 1))
        for formula, begin, end in (("1/(x-0.3)", 0, 1), ("x^(-1.01)", 0, 1), ("tan(pi*x)", 0, 1), ("1/x", 1, "inf"), ("x/(x^2-0.09)", -1, 1), ("exp(x)", 0, "inf")):
            message = self.error(1, "integrate", formula, begin, end, "--method", "tanh-sinh", "--max-evaluations", 20000)
            self.assertIn("--method gauss-kronrod", message)

    def test_samples_that_are_not_finite(self):
        message = self.error(1, "integrate", "sqrt(x)", -1, 1)
        self.assertRegex(message, r"did not converge: \d+ of \d+ samples are infinite or not a number, near x = ")
        for formula, exact in (("log(abs(x))", -2), ("sin(x)/x", 1.892166140734366), ("1/sqrt(abs(x))", 4)):
            self.assertAlmostEqual(self.value(formula, -1, 1), exact, delta=1e-9)

    def test_what_converges_though_it_is_hard(self):
        for formula, begin, end, exact in (("x^(-0.99)", 0, 1, 100), ("x^(-0.9)*log(1/x)", 0, 1, 100), ("exp(-x)/sqrt(x)", 0, "inf", math.sqrt(math.pi)),
                                           ("(1+x)^(-1.1)", 0, "inf", 10), ("abs(x-1/3)^(-0.5)", 0, 1, 2.787693700234703594)):
            self.assertAlmostEqual(self.value(formula, begin, end) / exact, 1, delta=1e-10)

    def test_peaks(self):
        root = math.sqrt(math.pi)
        for formula, begin, end, exact in (("exp(-x^2)", -10000, 10000, root), ("max(0,1-abs(x))", -1000, 1000, 1), ("exp(-x^2)", 0, 1e6, root / 2),
                                           ("exp(-(x-3)^2)", -1000, 1000, root), ("max(0,1-abs(x-0.3))", -100, 100, 1), ("exp(-x^2)", 1e5, -1e5, -root),
                                           ("1/(1+x^2)", -1e6, 1e6, 2 * math.atan(1e6)), ("exp(-abs(x))", -1e5, 1e5, 2), ("exp(-(x-50)^2)", "-inf", "inf", root)):
            self.assertAlmostEqual(self.value(formula, begin, end), exact, delta=2e-10, msg=formula)

    def failed_json(self, *arguments):
        """The JSON of a command that says on standard error, and by its exit code, that it failed."""
        done = self.run_command(*arguments, "--json")
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual((done.stderr[:10], done.stderr.count(b"\n")), (b"foldline: ", 1), done)
        return json.loads(done.stdout)

    def test_json_has_no_result_that_is_wrong(self):
        for formula, begin, end, status, near in (("1/(x-0.3)", 0, 1, "may-diverge", "0.3"), ("1/x", 1, "inf", "may-diverge", "inf"), ("x^(-1.01)", 0, 1, "may-diverge", "0")):
            found = self.failed_json("integrate", formula, begin, end)
            self.assertEqual((found["result"], found["hex"], found["converged"], found["status"], found["best"], found["near"]), (None, None, False, status, None, near))
        found = self.failed_json("integrate", "sin(1000*x)", 0, 9, "--max-evaluations", 100)
        self.assertEqual((found["result"], found["converged"], found["status"]), (None, False, "max-evaluations"))
        self.assertGreater(found["error"], 1e-3)
        self.assertTrue(math.isfinite(found["best"]))
        self.assertEqual(self.json("integrate", "x", 0, 1)["status"], "converged")
        self.assertIsNone(self.failed_json("integrate", "sqrt(x)", -1, 1, "--rule", "midpoint", "-n", 4)["result"])
        self.assertEqual(self.failed_json("integrate", "sqrt(x)", -1, 1)["status"], "not-finite")

    def test_formulas_that_make_no_sense(self):
        done = self.run_command("integrate", "exp(x)*sinn(x)", 0, 1)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertEqual(done.stderr.decode(), "foldline: unknown name 'sinn'; did you mean 'sin'?\n  exp(x)*sinn(x)\n         ^~~~\n")
        for formula in ("(" * 100000, "1/0", "", "2x", "x" * 5000, "\x1b[31m", "x y", "__import__(1)", "$(id)"):
            done = self.run_command("integrate", formula, 0, 1)
            self.assertEqual((done.returncode, done.stdout), (2, b""), formula[:20])
            self.assertEqual(done.stderr.count(b"\n"), 3)
            self.assertLess(len(done.stderr), 400)
            self.assertNotIn(b"\x1b", done.stderr)
        self.assertIn("depends on x", self.error(2, "integrate", "x", 0, "x"))

    def test_options_that_do_not_go_together(self):
        for options, words in ((("--rule", "simpson"), "-n 1000"), (("-n", 10), "--rule and --compare"),
                               (("--rule", "simpson", "-n", 7), "even"), (("--rule", "simpson", "--compare"), "all rules"),
                               (("--plain-sums",), "--compare"), (("--tolerance", "0"), "positive"), (("--device", "cuda"), "--rule"), (("--format", "exact"), "hex"), (("--rule", "simson"), "did you mean"),
                               (("--rule", "simpson", "-n", 8, "--tolerance", "1e-3"), "not a --tolerance"), (("--compare", "--tolerance", "1e-3"), "not a --tolerance"),
                               (("--rule", "simpson", "-n", 8, "--method", "tanh-sinh"), "leave --rule out"), (("--rule", "simpson", "-n", 8, "--max-evaluations", 9), "leave --rule out"),
                               (("--rule", "simpson", "-n", 8, "--points", 3), "gauss-legendre"), (("--points", 3), "gauss-legendre")):
            self.assertIn(words, self.error(2, "integrate", "x", 0, 1, *options))
        self.assertIn("finite ends; to a --tolerance", self.error(1, "integrate", "exp(-x)", 0, "inf", "--rule", "midpoint", "-n", 4))


if __name__ == "__main__":
    unittest.main()
