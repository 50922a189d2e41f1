"""Figures in sentences.

    sums reach <!-- figure: h200; sum/float64/2^28/cuda/*: exact / roof; 0.00 -->0.98<!-- --> of the best rate

Between the marks stands what the record gives: the numbers that the selection names, least to greatest, written as the example is:

    0.00    with two digits after the point         0      rounded to whole numbers
    0%      a ratio in per cent, without the sign   +0%    by how many per cent a ratio is above 1; -0% below 1
    sum, count                                      of the numbers themselves
    ... of a thousand: 0.00/1000                    divided first

    <!-- holds: ladder; column-sums, *: two-passes, cold over column-sums, *: foldline-column-sums, cold; above 1 -->

says of what follows that it is so only while all these numbers are above (or below) a bound. A mark never begins a line: there Markdown
takes a comment for the end of the paragraph.
"""
import re

from .markdown import CODE, blank
from .records import NotThere

MARK = re.compile(r"<!--\s*(figure|holds):\s*(?P<what>[^>]*?)\s*-->")
FIGURE = re.compile(r"(<!--\s*figure:\s*([^>]*?)\s*-->)(.*?)(<!--\s*-->)", re.DOTALL)
HOLDS = re.compile(r"<!--\s*holds:\s*([^>]*?)\s*-->")


def one_line(text):
    return " ".join(text.split())


def written(values, form):
    """Numbers as the example is."""
    if form == "sum":
        return f"{sum(values):.0f}"
    if form == "count":
        return str(len(values))
    match = re.fullmatch(r"([+-]?)0(?:\.(0+))?(%?)(?:/(\d+))?", form)
    if not match:
        raise NotThere(f"'{form}' is no example of a figure")
    sign, digits, percent, divisor = match.groups()
    values = [value / float(divisor or 1) for value in values]
    if sign:
        values = [(value - 1 if sign == "+" else 1 - value) for value in values]
    if percent:
        values = [100 * value for value in values]
    least, greatest = (f"{value:.{len(digits or '')}f}" for value in (min(values), max(values)))
    return least if least == greatest else f"{least} to {greatest}"


def parts(what, path):
    found = [part.strip() for part in one_line(what).split(";")]
    if len(found) != 3:
        raise NotThere(f"{path}: a mark has a record, a selection and an example, but this is '{one_line(what)}'")
    return found


def marks_outside_code(pattern, text):
    """Matches of a mark, but for those that a document shows as an example."""
    plain = blank(text, CODE)
    return [match for match in pattern.finditer(text) if plain[match.start()] != " "]


def with_figures(text, records, path):
    """The text with each figure as the records have it."""
    marks, figures = marks_outside_code(MARK, text), marks_outside_code(FIGURE, text)
    for match in marks:
        if text[:match.start()].rsplit("\n", 1)[-1].strip() == "":
            raise NotThere(f"{path}: a mark begins a line: '{one_line(match['what'])}'")
    if len(figures) != sum(match[1] == "figure" for match in marks):
        raise NotThere(f"{path}: a mark of a figure without its end, <!-- -->")
    for match in reversed(figures):
        record, selection, form = parts(match[2], path)
        text = text[:match.start(3)] + written(records.select(record, selection), form) + text[match.end(3):]
    return text


def what_no_longer_holds(text, records, path):
    """What a document claims and its record refutes."""
    for match in marks_outside_code(HOLDS, text):
        record, selection, bound = parts(match[1], path)
        word, limit = bound.split()
        values = records.select(record, selection)
        if not all(value > float(limit) if word == "above" else value < float(limit) for value in values):
            yield f"{path}: no longer so, word it anew: {selection} is {written(values, '0.000')}, not {bound}"
