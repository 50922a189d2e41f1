"""Figures in the documents (docs/figures.py): whoever changes a number in a record hears of every sentence that uses it."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "docs"))
import figures  # noqa: E402
from generator import plots, prose, unmarked  # noqa: E402
from generator.records import BESIDE, FILES, NotThere, Records, alternatives  # noqa: E402


def marks():
    """Each figure in a sentence: its document, record, selection and example."""
    for path in figures.documents():
        for match in prose.marks_outside_code(prose.FIGURE, path.read_text()):
            yield (path, *prose.parts(match[2], path))


def names_of(records, record, selection):
    """All names that a selection uses."""
    beside = BESIDE.fullmatch(selection)
    if beside:
        start, above, below, what = beside.groups()
        sides = [f"{start}{side}, {what}" for side in (above, below)]
    else:
        sides = selection.split(" over ")
    return [name for side in sides for name in records.names(record, side)]


def tripled(whole, number):
    """Makes one number of a record three times as large: that object, not whatever is equal to it."""
    found = 0
    waiting = [whole]
    while waiting:
        container = waiting.pop()
        for key, value in container.items() if isinstance(container, dict) else enumerate(container):
            if isinstance(value, (dict, list)):
                waiting.append(value)
            elif value is number:
                container[key] = 3 * value
                found += 1
    return found


class Figures(unittest.TestCase):
    def edited(self, record, old, new):
        """A folder with records, in one of which a text is another."""
        temporary = tempfile.TemporaryDirectory(prefix="foldline-test-")
        self.addCleanup(temporary.cleanup)
        folder = pathlib.Path(temporary.name, "records")
        shutil.copytree(ROOT / "records", folder)
        path = folder / FILES[record]
        text = path.read_text()
        self.assertEqual(text.count(old), 1)
        path.write_text(text.replace(old, new))
        return folder

    def test_one_number_of_a_record_changes_every_sentence_that_uses_it(self):
        used = 0
        for path, record, selection, form in marks():
            if form in ("sum", "count"):
                continue
            before = Records(ROOT / "records")
            for name in names_of(before, record, selection):
                with self.subTest(file=path.name, name=name):
                    changed = Records(ROOT / "records")
                    raw = changed.numbers(record)[name.removesuffix(" a warp")]
                    self.assertEqual(tripled(changed.json(record), raw), 1)
                    changed.named.clear()
                    figures_now = [prose.written(records.select(record, selection), form) for records in (before, changed)]
                    self.assertNotEqual(*figures_now)
                    used += 1
        self.assertGreater(used, 60)

    def test_the_check_names_what_an_edited_record_changes(self):
        ratio = Records(ROOT / "records").select("h200", "two_norm/float32/2^29/cuda/wide: exact / roof")[0]
        folder = self.edited("h200", json.dumps(ratio), "0.123")
        done = subprocess.run([sys.executable, str(ROOT / "docs/figures.py"), "--records", folder], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/gpu.md has other figures", done.stdout)
        self.assertIn("docs/accuracy-and-speed.md has other figures", done.stdout)
        self.assertIn("two-norm, floats", done.stdout)  # the line of the table
        self.assertNotIn("docs/ladder.md", done.stdout)

    def test_a_plot_and_a_claim_follow_the_record(self):
        time = Records(ROOT / "records").select("ladder", "scan, 2^27 ints: foldline-inclusive-scan, cold")[0]
        slow = figures.complaints(Records(self.edited("ladder", f'"median": {json.dumps(time)}', '"median": 1e6')))
        self.assertTrue(any("docs/ladder.md: no longer so" in line for line in slow), slow)
        record = plots.cpu_record(Records(ROOT / "records"))
        rate = Records(ROOT / "records").select(record, "sum/float64/512/1/uniform: exact, GB/s")[0]
        slow = figures.complaints(Records(self.edited(record, json.dumps(rate), "1.5")))
        self.assertTrue(any("docs/plots/sum-cpu.svg has other figures" in line for line in slow), slow)

    def test_a_plot_takes_a_run_over_many_sizes_where_there_is_one(self):
        folder = self.edited("zen5", '"date": ', '"date": ')
        whole = json.loads((folder / FILES["zen5"]).read_text())
        for row in whole["rows"]:
            row["gigabytes_per_second"] *= 2
        (folder / FILES["zen5-sizes"]).write_text(json.dumps({**whole, "targets": []}))
        self.assertNotEqual(plots.cpu_speed(Records(folder)), plots.cpu_speed(Records(ROOT / "records")))

    def test_counts_follow_the_record(self):
        text = "<!-- figure: h200; *, reached; sum -->0<!-- -->"
        counts = []
        for verdict in ("PASS", "MISS"):
            records = Records(ROOT / "records")
            next(target for target in records.json("h200")["runs"][0]["targets"] if target["verdict"] == "PASS")["verdict"] = verdict
            counts.append(int(re.search(r">(\d+)<", prose.with_figures("It is " + text, records, "here"))[1]))
        self.assertEqual(counts[0] - counts[1], 1)

    def test_writing_twice_changes_nothing(self):
        records = Records(ROOT / "records")
        for path in figures.documents():
            once = figures.wanted(path, path.read_text(), records)
            self.assertEqual(figures.wanted(path, once, records), once)

    def test_marks_that_make_no_sense(self):
        records = Records(ROOT / "records")
        for text in ("a <!-- figure: h200; no/such: name; 0.00 -->1<!-- -->", "a <!-- figure: nobody; sum: name; 0.00 -->1<!-- -->",
                     "a <!-- figure: h200; *, reached; sum -->1", "a <!-- figure: h200; sum -->1<!-- -->", "a <!-- figure: h200; *, reached; 1.5 -->1<!-- -->",
                     "a\n<!-- figure: h200; *, reached; sum -->1<!-- -->"):
            with self.subTest(text=text), self.assertRaises(NotThere):
                prose.with_figures(text, records, "here")
        with self.assertRaises(NotThere):
            figures.wanted(ROOT / "README.md", "<!-- table: of nothing -->\n", records)

    def test_marks_in_code_are_examples(self):
        text = "    a <!-- figure: h200; *, reached; sum -->1<!-- -->\n\n`<!-- figure: h200; *, reached; sum -->1<!-- -->`\n"
        self.assertEqual(prose.with_figures(text, Records(ROOT / "records"), "here"), text)

    def test_forms(self):
        for values, form, expected in (([0.984, 0.9751], "0.00", "0.98"), ([0.9, 1.26], "0.0", "0.9 to 1.3"), ([0.125], "0%", "12"), ([1.25, 1.5], "+0%", "25 to 50"),
                                       ([0.75], "-0.0%", "25.0"), ([1234.0], "0.0/1000", "1.2"), ([1, 0, 1], "sum", "2"), ([1, 0, 1], "count", "3")):
            self.assertEqual(prose.written(values, form), expected)

    def test_alternatives(self):
        self.assertEqual(alternatives("{a,b} of {c,d}"), ["a of c", "a of d", "b of c", "b of d"])


class Unmarked(unittest.TestCase):
    def found(self, text, allowed=()):
        return unmarked.complaints([(pathlib.Path("x.md"), text)], allowed)

    def test_figures_of_speed(self):
        for text in ("takes 4.3 to 4.9 us", "reads 20\nGB/s here", "12 % less", "about 3 times as fast", "0.97 of the best reader", "| sum | 40 GB/s |", "5ms",
                     "0.9 and 0.8 of cuBLAS's time", "- *fast*: in 2 seconds"):
            with self.subTest(text=text):
                self.assertEqual(len(self.found(text)), 1)

    def test_what_is_none(self):
        for text in ("2^53 and 16 MB", "GCC 12.2", "one rounding of 2^-53", "`--seconds 600`", "    sleep 5 seconds", "```\ntakes 5 us\n```",
                     "takes <!-- figure: a; b; 0.0 -->4.3<!-- --> us", "<!-- table: x -->\n| 5 us |\n| 6 us |\n", "a <!-- holds: 5 times; --> b"):
            with self.subTest(text=text):
                self.assertEqual(self.found(text), [])

    def test_an_exception_has_a_sentence(self):
        allowed = (("x.md", "light takes", "no measurement of ours"),)
        self.assertEqual(self.found("light takes 5 us", allowed), [])
        self.assertEqual(len(self.found("we take 5 us", allowed)), 2)  # the figure, and the exception that nothing needs


if __name__ == "__main__":
    unittest.main()
