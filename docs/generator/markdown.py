"""Tables in Markdown, figures in them, and what is code."""
import re

CODE = (r"^```[\s\S]*?^```$", r"^    .*$", r"`[^`]*`")


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value):
    """Four digits, or all before the point."""
    return f"{value:.{max(0, 4 - len(str(int(value))))}f}" if value < 1000 else f"{value:.0f}"


def blank(text, patterns):
    """The text with spaces for whatever matches; its lines and its length stay."""
    for pattern in patterns:
        text = re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.MULTILINE)
    return text
