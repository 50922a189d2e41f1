"""peer_table_test.py PROGRAM [--write]: the tables of docs/quadrature.md, each behind <!-- table: NAME -->, are what PROGRAM NAME prints;
--write puts them there. Another processor's sin and exp may change last places and, by those, how often something is bisected: hence the
margins for samples. What is found, refused and wrong has to be the same."""
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from sampled import sampled  # noqa: E402

CHAPTER = pathlib.Path(__file__).resolve().parents[2] / "docs/quadrature.md"
TABLES = ("scores", "families", "all")
MARGIN = {"scores": 0.02, "families": 0.05, "all": 0.3}


def agree(shown, printed, margin):
    if shown == printed:
        return True
    try:
        shown, printed = float(shown), float(printed)
    except ValueError:
        return False
    if shown < 1e-10:  # an error: its size
        return shown / 4 <= printed <= 4 * shown
    return abs(shown - printed) <= max(1, margin * shown) if shown >= 10 else abs(shown - printed) <= 0.05


def words(line):
    return line.split()


def rows(text, name):
    """Where the table is, in lines of the document."""
    lines = text.splitlines()
    start = lines.index(f"<!-- table: {name} -->") + 2
    end = start
    while lines[end].startswith("|"):
        end += 1
    return start, end


program, document = sys.argv[1], CHAPTER.read_text()
wrong = []
for name in sampled(list(TABLES)):  # each takes ten seconds
    printed = subprocess.run([program, name], check=True, capture_output=True, text=True).stdout.splitlines()
    start, end = rows(document, name)
    lines = document.splitlines()
    if "--write" in sys.argv:
        document = "\n".join(lines[:start] + printed + lines[end:]) + "\n"
        continue
    shown = lines[start:end]
    if len(shown) != len(printed):
        wrong.append(f"{name}: {len(shown)} lines, but {len(printed)} are printed")
    wrong += [f"{name}\nshown:   {a}\nprinted: {b}" for a, b in zip(shown, printed)
              if len(words(a)) != len(words(b)) or not all(agree(x, y, MARGIN[name]) for x, y in zip(words(a), words(b)))]
if "--write" in sys.argv:
    CHAPTER.write_text(document)
if wrong:
    sys.exit("\n".join(wrong) + f"\n{sys.argv[0]} {program} --write writes what is printed into {CHAPTER.name}")
