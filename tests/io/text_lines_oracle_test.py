"""TextReader against Python: what is a header, a row or a comment; spellings of countries and of Fortran; layouts of files by the module csv."""
import csv
import io
import random
import re
import unicodedata
import unittest
from fractions import Fraction

from text_oracle import CASES, FORMATS, MISSING, as_bits, bits_of, dump, random_digits


QUOTES = "'`\u00b4\u2018\u2019\u201c\u201d\u2032\u2033\u00ab\u00bb\""


def is_number(text):
    return "_" not in text and re.fullmatch(r"[+-]?(\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?|inf(inity)?|nan|0x[\da-f]+)", text, re.A | re.I) is not None


def is_error(text):
    """An error value of a spreadsheet."""
    return text in ("#N/A", "#NV", "#N/D", "#GETTING_DATA") or re.fullmatch(r"#[A-Z/0\u0080-\U0010ffff]+[!?]", text) is not None


def remains(text):
    """What is left without spaces, currency signs and punctuation; and behind the last currency sign."""
    kept, last = "", 0
    for c in text:
        category = unicodedata.category(c)
        if category == "Sc":
            last = len(kept)
        elif category == "Nd":
            kept += str(unicodedata.digit(c))
        elif c in "+." or category[0] == "L" or c == "_":
            kept += c
        elif category == "Pd" or c == "\u2212":
            kept += "-"
    return kept, kept[last:]


def kind_of(field):
    """What a field of the first line is, by the rules of docs/text.md."""
    if field in MISSING:
        return "missing"
    if is_number(field):
        return "number"
    category = unicodedata.category(field[0])
    if category in ("Nd", "Pd", "Sc", "Zs", "Cf", "Ps", "Pe", "Pi", "Pf") or field[0] in "+.\u2212" + QUOTES or is_error(field):
        return "damaged"
    if field in ("#", "%"):
        return "name"
    kept, behind = remains(field)
    if is_number(kept) or is_number(behind) or not re.search(r"[\w.]", kept):
        return "damaged"
    alike = kept.translate(str.maketrans("OoIl\u041e\u039f", "001100"))
    return "damaged" if re.search(r"[\d.]", kept) and is_number(alike) else "name"


class Headers(unittest.TestCase):
    def check(self, field):
        """A field alone: a name makes a header, a damaged number an error."""
        kind = kind_of(field)
        lines = dump(f"\ufeff{field}\n7\n", "separator=|", "missing=value")
        with self.subTest(field=field, kind=kind):
            if kind == "damaged":
                self.assertRegex(lines[0], "^error FILE: line 1, column 1: .* is not a number, and looks too much like one")
            else:
                self.assertEqual(lines[0], {"name": "1 0", "number": "2 0", "missing": "2 1"}[kind])

    def test_fields_of_all_kinds(self):
        pieces = ["5", "12", ".", ",", "-", "+", "e", "x", "O", "o", "l", "I", "S", "co", "inf", "nan", "#", "%", "$", "\u20ac", "(", ")", "'", "<", ">", "~", "/",
                  "\u2212", "\u00a0", "\uff15", "\u0665", "\u041e", "_", "!", "?", "*", "\u00e4", "\u2026", " ", "Q", "DIV", "N/A"]
        for _ in range(CASES // 8):
            field = "".join(random.choice(pieces) for _ in range(random.randrange(1, 6))).strip(" ")
            if field and not re.match("<|#[ #!]", field):  # HTML, or a comment
                self.check(field)

    def test_first_characters(self):
        by_category = {}
        for code in range(0x80, 0x20000):
            by_category.setdefault(unicodedata.category(chr(code)), []).append(chr(code))
        for category in ("Sc", "Zs", "Pd", "Nd", "Ps", "Pe", "Pi", "Pf", "Lu", "Lo", "Cf"):
            known = [c for c in by_category[category] if category != "Cf" or c in "\u200b\u200d\u2060\ufeff\u00ad\u061c"]
            for c in random.sample(known, min(len(known), 12)):
                self.check(c + "5")


class Lines(unittest.TestCase):
    """Every line is a row, a header, a comment or blank; none of them disappears."""

    def test_rows_and_lines(self):
        pieces = ["1", "#", "#N/A", "#7", "#!", "##", "#NUM!", "NA", "x", "-"]
        for _ in range(CASES // 8):
            ends = random.choice([["\n"], ["\r"], ["\r\n"], ["\n", "\r", "\r\n"]])
            separator, comment = random.choice(" ,"), random.choice(["", "comment=#", "comment=none"])
            keys = ["".join(random.choice(pieces) for _ in range(random.randrange(1, 3))) for _ in range(random.randrange(8))]
            lines = [random.choice(["", "", " "]) + key + random.choice(["", " "]) + separator + "5" for key in keys]
            lines += ["", " ", "\t"] if random.random() < 0.5 else []
            random.shuffle(lines)
            text = "".join(line + random.choice(ends) for line in lines)
            rows = 0
            for line in re.split("\r\n|\r|\n", text):
                first = re.split("[\t ,]", line.strip(" \t"))[0]
                is_value = first == "#N/A" or is_error(first)
                is_clear = rows == 0 and re.match("#([ !#]|$)", line.strip(" \t")) is not None
                is_comment = first.startswith("#") and {"": is_clear if separator == "," else not is_value, "comment=#": not is_value,
                                                        "comment=none": False}[comment]
                rows += line.strip(" \t") != "" and not is_comment
            with self.subTest(text=text, separator=separator, comment=comment):
                options = [f"separator={separator}", "header=no", f"block={random.choice([1, 2, 7, 1000])}", *filter(None, [comment])]
                self.assertEqual(dump(text, "columns=2", *options)[0], f"{rows} 0")


THOUSANDS = {"": [], " ": [" ", "\u00a0", "\u202f"], "'": ["'", "\u2019"], ".": ["."], ",": [","], "\u00a0": ["\u00a0"], "\u202f": ["\u202f"]}


def plain(text, decimal, thousands, fortran):
    """A number as its country or Fortran writes it, as Python reads it; None if it is none."""
    mark = re.escape(decimal)
    if re.fullmatch("[+-]?(inf|infinity|nan)", text, re.A | re.I):
        return text
    if re.fullmatch(rf"[+-]?0x([\da-f]+({mark}[\da-f]*)?|{mark}[\da-f]+)(p[+-]?\d+)?", text, re.A | re.I):
        return text.replace(decimal, ".")
    groups = "|".join(map(re.escape, THOUSANDS[thousands])) or "(?!)"
    match = re.fullmatch(rf"([+-]?)([1-9]\d{{0,2}}(?:(?:{groups})\d{{3}})+|\d*)(?:({mark})(\d*))?(?:([a-zA-Z]?)([+-]?\d+))?", text, re.A)
    if not match:
        return None
    sign, whole, point, part, letter, power = match.groups()
    whole = re.sub(r"\D", "", whole)
    if not whole + (part or ""):
        return None
    is_fortrans = letter is not None and (
        (letter in "dD" and letter and (fortran or point or power[0] in "+-")) or (letter in "qQ" and letter and fortran) or
        (not letter and fortran and point and re.fullmatch(r"[+-]\d\d\d", power)))
    if letter is not None and letter not in ("e", "E") and not is_fortrans:
        return None
    return f"{sign}{whole or 0}.{part or 0}" + (f"e{power}" if power else "")


def local_number(decimal, thousands):
    """A number as people of some country write it, or nearly so."""
    whole = random_digits(random.randrange(8)).lstrip("0") or random.choice(["", "0", "5"])
    if thousands and random.random() < 0.6:
        mark = random.choice(THOUSANDS[thousands])
        whole = re.sub(r"(?<=\d)(?=(\d{3})+$)", lambda _: mark, whole)
    text = random.choice(["", "", "-", "+"]) + whole + random.choice(["", decimal + random_digits(random.randrange(20))])
    text += random.choice(["", "", random.choice("eEdDqQx") + random.choice(["", "-", "+"]) + str(random.randrange(300)), f"{random.choice('+-')}{random.randrange(300)}"])
    if random.random() < 0.2:
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(["", *".,' +-eEdDqQ05", "\u00a0", "\u2019"]) + text[at + random.randrange(2):]
    return random.choice([text, text, text, text, "0x1" + decimal + "8p3", "-inf"]).strip(" ")


class Spellings(unittest.TestCase):
    """Decimal commas, thousands, and Fortran's exponents: --decimal, --thousands, --fortran."""

    def test_numbers_and_what_is_none(self):
        for _ in range(CASES // 50):
            decimal = random.choice(".,")
            thousands = random.choice([mark for mark in THOUSANDS if mark != decimal])
            fortran = random.random() < 0.5
            type = random.choice(list(FORMATS))
            options = ["header=no", "separator=;", f"type={type}", f"decimal={decimal}", f"thousands={thousands}", *["fortran"] * fortran]
            texts = [text for text in (local_number(decimal, thousands) for _ in range(100)) if text not in MISSING]
            numbers = [text for text in texts if plain(text, decimal, thousands, fortran) is not None]
            lines = dump("\n".join(numbers), *options, f"block={random.choice([1, 50, 100000])}")
            self.assertFalse(lines[0].startswith("error"), (lines[0], options))
            found = as_bits(lines[1].split(), type)
            self.assertEqual(len(found), len(numbers))
            for text, bits in zip(numbers, found):
                self.assertEqual(bits, bits_of(plain(text, decimal, thousands, fortran), type), (text, options))
            for text in [text for text in texts if text not in numbers][:10]:
                with self.subTest(text=text, options=options):
                    self.assertRegex(dump(f"0\n{text}\n", *options)[0], r"^error FILE: line 2, column 1: .* is not a number")


class Layouts(unittest.TestCase):
    """Lines to skip, Excel's line of the separator, comments, markers, and decimal commas in quotes, against the module csv."""

    def check(self, rows, texts, decimal, markers, only, options, text):
        known = set(markers) | set([] if only else MISSING)
        values = {Fraction(marker) for marker in markers if re.fullmatch(r"-?\d+(\.\d+)?", marker)}
        kept, missing = [], 0
        for line, field in texts:
            number = None if field in known else plain(field, decimal, "", False)
            if field not in known and number is None:
                found = dump(text, *options)[0]
                self.assertTrue(found.startswith(f"error FILE: line {line}, column 1: "), (found, line, field))
                return
            if number is None or Fraction(number) in values:
                missing += 1
            else:
                kept.append(bits_of(number, "float64"))
        found = dump(text, *options)
        self.assertEqual(found[0], f"{rows} {missing}")
        self.assertEqual(as_bits(found[1].split(), "float64"), kept)

    def random_row(self, separator, decimal, end, markers, odd):
        """The first field and the line, in which it is quoted if a decimal comma would end it."""
        field = random.choice([f"{random.randrange(-10**6, 10**6) / 1000:.3f}", str(random.randrange(-1000, 1000)), "-999.0", "0.50", "7e0"])
        field = field.replace(".", decimal)
        field = random.choice([field] * 5 + odd + markers)
        quotes = separator == decimal and decimal in field or random.random() < 0.3
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL if quotes else csv.QUOTE_MINIMAL)
        writer.writerow([field, random.choice(["a", "b c", f"x{separator}y", ""])])
        return field, out.getvalue()

    def test_layouts(self):
        for _ in range(CASES // 4):
            separator, decimal, end = random.choice(",;\t|"), random.choice(".,"), random.choice(["\n", "\r\n", "\r"])
            comment = random.choice([None, "%", "!"])
            markers = random.sample(["-999", "none", "0.5", ".", "n.d.", "7"], random.randrange(4))
            only = bool(markers) and random.random() < 0.4
            odd = random.choice([[], [], MISSING, ["x", "1.2.3", "NA", ""]])
            told = random.choice(["option", "line", "text" if separator != "|" and not comment else "option"])
            skipped = 0 if told == "line" else random.randrange(4)
            other = "|" if separator == ";" else ";"
            options = ["columns=1", "header=no", "missing=value", f"decimal={decimal}", f"block={random.choice([1, 7, 64, 100000])}",
                       *[f"marker={marker}" for marker in markers], *["only"] * only, f"comment={comment or 'none'}", f"skip={skipped}",
                       *{"option": [f"separator={separator}"], "line": [f"separator={other}"], "text": []}[told]]
            text = "".join(random.choice(["", "1", 'a "quote', "a,b;c|d\te", "sep=;", "% x"]) + end for _ in range(skipped))
            text += f"sep={separator}{end}" if told == "line" else ""
            line, texts = skipped + (told == "line"), []
            if told == "text":  # a quoted decimal comma between commas, or another separator
                texts, line = [(line + 1, f"1{decimal}5")], line + 1
                text += f'"1{decimal}5"{separator}a{end}'
            for _ in range(random.randrange(1, 20)):
                line += 1
                if comment and random.random() < 0.2:
                    text += comment + random.choice(["", " a", f'1{separator}2 "']) + end
                    continue
                field, row = self.random_row(separator, decimal, end, markers, odd)
                text += row
                texts.append((line, field))
            with self.subTest(text=text, options=options):
                self.check(len(texts), texts, decimal, markers, only, options, text)


if __name__ == "__main__":
    unittest.main()
