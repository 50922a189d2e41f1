"""snippets.py FILE.md PROGRAM.cpp: all C++ of a document in one program, which checks the value in the comment behind a call."""
import re
import sys

from markdown import blocks

HEAD = """#include <foldline/foldline.hpp>

#include <cstdio>
#include <string>
#include <vector>

int failures = 0, checks = 0;
void check(bool holds, const char* what) {
  ++checks;
  if (holds) return;
  ++failures;
  std::printf("not so: %s\\n", what);
}

int main() {
"""
TAIL = """
  std::printf("%d values checked, %d wrong\\n", checks, failures);
  return failures != 0 || checks == 0 ? 1 : 0;
}
"""
CALL = re.compile(r"^(?!const )(\w.*\));\s*// (-?\d[\d.]*(?:e[+-]?\d+)?)(?=[ ,;:]|$)")


def checked(line):
    call = CALL.match(line)
    if not call:
        return line
    expression, value = call.groups()
    text = f"{expression} is {value}".replace('"', "'")
    result = f'std::string("{value}")' if ".exact(" in expression else f"static_cast<std::remove_cvref_t<decltype({expression})>>({value})"
    return f'check({expression} == {result}, "{text}");'


if __name__ == "__main__":
    with open(sys.argv[1]) as document:
        lines = [line for block in blocks(document.read(), "cpp") for line in block.splitlines()]
    with open(sys.argv[2], "w") as program:
        program.write(HEAD + "\n".join("  " + checked(line) for line in lines) + TAIL)
