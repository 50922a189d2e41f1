#!/usr/bin/env python3
"""`check` finds what is wrong with rungs from which one barrier or fence was taken, or whose bound or stride was changed, and names the
line of the access. LADDER is the program, HEADERS the folders of headers, separated by colons."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from sampled import sampled  # noqa: E402

LADDER = os.environ["LADDER"]
RUNGS = pathlib.Path(__file__).resolve().parents[2] / "ladder"
HEADERS = [option for folder in os.environ["HEADERS"].split(":") for option in ("-I", folder)]
SIZES = {"reduce": ("--n", "5000", "--block", "128"), "dot": ("--n", "1000", "--block", "128"), "scan": ("--n", "2000", "--block", "128")}

BLOCK, WARP, FENCE = "__syncthreads();", "__syncwarp();", "__threadfence();"

# Rung, which call in the file is taken away, and a part of the line that is to be named.
WITHOUT = [
    ("reduce/completely_unrolled", BLOCK, 0, "part[t + s]"),
    ("reduce/completely_unrolled", WARP, 0, "part[t] += other"),
    ("reduce/completely_unrolled", WARP, 1, "part[t] += other"),
    ("reduce/completely_unrolled", BLOCK, 1, "part[t] = sum"),
    ("reduce/interleaved_pairs", BLOCK, 0, "part[t] +="),
    ("reduce/last_block_finishes", FENCE, 0, "__ldcg(partials + i)"),
    ("reduce/last_block_finishes", BLOCK, 0, "if (!last) return"),
    ("reduce/last_block_finishes", FENCE, 1, "__ldcg(partials + i)"),
    ("reduce/neighboured_pairs", BLOCK, 0, "part[t] +="),
    ("reduce/neighboured_pairs_packed", BLOCK, 0, "part["),
    ("reduce/template_block_size", BLOCK, 0, "part[t + s]"),
    ("reduce/template_block_size", WARP, 1, "part[t] += other"),
    ("reduce/unrolled_blocks", BLOCK, 0, "part[t] +="),
    ("reduce/unrolled_blocks", BLOCK, 1, "part[t] +="),
    ("reduce/unrolled_last_warp", WARP, 0, "part[t] += other"),
    ("reduce/unrolled_last_warp", BLOCK, 0, "part[t] +="),
    ("reduce/unrolled_last_warp", BLOCK, 1, "part[t] +="),
    ("dot/one_thread_adds_global", BLOCK, 0, "products["),
    ("dot/one_thread_adds_shared", BLOCK, 0, "block_x[k]"),
    ("dot/slots_in_shared_memory", BLOCK, 0, "slot"),
    ("dot/slots_in_shared_memory", BLOCK, 1, "slot"),
    ("dot/tree_in_shared_memory", BLOCK, 0, "+="),
    ("dot/tree_in_shared_memory", BLOCK, 1, "+="),
    ("scan/chained_counter", BLOCK, 0, "part"),
    ("scan/chained_counter", FENCE, 0, "before ="),
    ("scan/chained_counter", FENCE, 1, "before ="),
    ("scan/chained_counter", BLOCK, 1, "before"),
    ("scan/decoupled_look_back", BLOCK, 0, "part"),
    ("scan/decoupled_look_back", BLOCK, 1, "before_part"),
    ("scan/hillis_steele_in_shared_memory", BLOCK, 0, ""),
    ("scan/hillis_steele_in_shared_memory", BLOCK, 1, ""),
    ("scan/work_efficient_sweeps", BLOCK, 0, "tree["),
    ("scan/work_efficient_sweeps", BLOCK, 2, "tree["),
    ("scan/work_efficient_sweeps", BLOCK, 3, "tree["),
]


def check(rung, source):
    """The status of `check`, and what it prints, without the folder."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, pathlib.Path(rung).name + ".cu")
        file.write_text(source)
        options = SIZES[rung.split("/")[0]]
        done = subprocess.run([LADDER, "check", file, *HEADERS, *options], capture_output=True, text=True, timeout=300)
        return done.returncode, (done.stdout + done.stderr).replace(f"{folder}/", "")


class Patched(unittest.TestCase):
    def assert_found(self, rung, source, kind, part, what):
        status, output = check(rung, source)
        found = re.match(rf"{pathlib.Path(rung).name}\.cu:(\d+): error: {kind}: ", output)
        with self.subTest(rung=rung, what=what):
            self.assertEqual(status, 1, output)
            self.assertIsNotNone(found, output)
            self.assertIn(part, source.splitlines()[int(found[1]) - 1])

    def test_barriers_and_fences(self):
        def one(case):
            rung, call, which, part = case
            source = (RUNGS / f"{rung}.cu").read_text()
            pieces = source.split(call)
            self.assertGreater(len(pieces), which + 1, f"{rung} has fewer {call}")
            self.assert_found(rung, call.join(pieces[: which + 1]) + call.join(pieces[which + 1 :]), "race", part, f"without {call} {which}")

        with ThreadPoolExecutor(os.cpu_count()) as several:
            list(several.map(one, sampled(WITHOUT)))

    def test_bounds_strides_and_others(self):
        rung = "scan/hillis_steele_in_shared_memory"
        right = (RUNGS / f"{rung}.cu").read_text()
        self.assertEqual(check(rung, right), (0, ""))
        for old, new, kind, part in (
            ("if (i < n) out[i] = from[t]", "if (i <= n) out[i] = from[t]", "out of bounds", "out[i]"),
            ("i < n ? x[i] : 0", "i <= n ? x[i] : 0", "out of bounds", "x[i]"),
            ("blockDim.x + t;", "(blockDim.x - 1) + t;", "race", "out[i]"),
            ("from[t] = i < n ? x[i] : 0;", "if (i < n) from[t] = x[i];", "uninitialised", "from[t]"),
            ("  if (i < n) out[i] = from[t]", "  if (t < 96) __syncthreads();\n  if (i < n) out[i] = from[t]", "barrier", "if (t < 96)"),
        ):
            self.assertEqual(right.count(old), 1, old)
            self.assert_found(rung, right.replace(old, new), kind, part, new)


if __name__ == "__main__":
    unittest.main()
