"""The recipes for package managers that cannot be run everywhere: what can be checked without them."""
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = (ROOT / "CMakeLists.txt").read_text()


class Recipes(unittest.TestCase):
    def test_vcpkg_has_the_version_of_the_project(self):
        port = json.loads((ROOT / "packaging" / "vcpkg" / "vcpkg.json").read_text())
        self.assertEqual(port["version-semver"], re.search(r"project\(foldline VERSION ([\d.]+)", PROJECT)[1])

    def test_options_exist(self):
        options = set(re.findall(r"option\((\w+)", PROJECT))
        used = re.findall(r"-D(FOLDLINE_\w+)", (ROOT / "packaging" / "vcpkg" / "portfile.cmake").read_text())
        self.assertGreater(len(used), 2)
        self.assertEqual(set(used) - options, set())


if __name__ == "__main__":
    unittest.main()
