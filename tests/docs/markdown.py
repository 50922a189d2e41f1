"""The parts of a Markdown file that can be checked."""
import re


def blocks(text, language):
    """The fenced blocks of a language."""
    return re.findall(r"^```%s\n(.*?)^```$" % language, text, re.MULTILINE | re.DOTALL)


def commands(text):
    """Indented `$ command` lines, each with the lines that it prints."""
    found = []
    for line in text.splitlines():
        if line.startswith("    $ "):
            found.append((line[6:], []))
        elif line.startswith("    ") and found and found[-1] is not None:
            found[-1][1].append(line[4:])
        else:
            found.append(None)  # the end of a block
    return [pair for pair in found if pair is not None]
