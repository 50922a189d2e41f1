"""What a failed installation says is what run and CI install."""
import pathlib
import re

import foldline as fl

ROOT = pathlib.Path(__file__).parents[2]


def test_the_line_names_all_packages():
    listed = re.search(r"library_packages=\(([^)]*)\)", (ROOT / ".ci/common.sh").read_text())[1].split()
    wanted = set(listed) - {"cmake", "ninja-build"}  # pip brings these
    for path in ("cmake/python_libraries.cmake", "docs/python.md"):
        line = re.search(r"apt-get install (.*?)[\\\n\"]", (ROOT / path).read_text())[1].split()
        assert wanted <= set(line), path


def test_licences_are_in_the_package():
    licences = pathlib.Path(fl.__file__).parent / "licences"
    assert {"nanobind"} <= {path.name for path in licences.iterdir()}


def test_versions_agree():
    version = re.search(r"project\(foldline VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert fl.__version__ == version
    assert f'version = "{version}"' in (ROOT / "pyproject.toml").read_text()
