"""Figures of speed that stand in a sentence without a mark: nobody would see that they are out of date."""
import re

from .markdown import CODE, blank

NUMBER = r"(?<![\w^./-])\d[\d.,]*"
SEVERAL = rf"{NUMBER}(?:(?:,? (?:to|and|or) |, ){NUMBER})*"
SPEED = re.compile(rf"{SEVERAL}[ -]?(?:%|per cent\b|(?:GB/s|TB/s|MB/s|GFLOP/s|GFLOPS|[unm]s|µs|microseconds?|milliseconds?|seconds?|minutes?|times)\b)|"
                   rf"{SEVERAL} of (?:the|that|this|its|a|an|CUB's|cuBLAS's|\w+'s) (?:best|fastest|speed|rate|time|roof|read roof|copy|reader)\b")

# Where a figure is none of speed, or is no measurement: document, what the sentence has, why.
ALLOWED = (
)


def without_code(text):
    """A document with spaces for what is code, a comment, a figure with its mark, or a table that is made; its lines stay."""
    return blank(text, (CODE[0], r"^<!-- table: .* -->\n\n?(?:\|.*\n)*", r"<!--\s*figure:[^>]*-->[\s\S]*?<!--\s*-->", r"<!--[\s\S]*?-->", *CODE[1:]))


def complaints(documents, allowed=ALLOWED):
    """One line for each figure without a mark, and for each exception that nothing needs."""
    found, needed = [], set()
    for path, text in documents:
        bare = without_code(text)
        # A figure and its unit may stand on two lines.
        for match in SPEED.finditer(bare.replace("\n", " ")):
            sentence = " ".join(bare[max(0, match.start() - 60):match.end() + 60].split())
            exceptions = {exception for exception in allowed if exception[0] == str(path) and exception[1] in sentence}
            needed |= exceptions
            if not exceptions:
                line = bare.count("\n", 0, match.start()) + 1
                found.append(f"{path}:{line}: a figure without a mark: '{match.group()}' in '{sentence}'")
    return found + [f"docs/generator/unmarked.py allows '{what}' in {path}, where there is none" for path, what, _ in allowed
                    if (path, what, _) not in needed]
