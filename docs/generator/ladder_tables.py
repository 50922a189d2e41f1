"""The tables of docs/ladder.md, and that of matrix products, from the record of a ladder."""
import re

from .markdown import number, table

# What the text saw on a Tesla M2070: microseconds, instructions a warp, GB/s of loads.
THEN = {"neighboured-pairs": (11722, 295.56, 67.66), "neighboured-pairs-packed": (9321, 115.31, 80.14), "interleaved-pairs": (6967,)}

# The kernels of the rungs whose counters are shown.
KERNELS = {
    "neighboured-pairs": "add_neighboured_pairs",
    "neighboured-pairs-packed": "add_neighboured_pairs_packed",
    "interleaved-pairs": "add_interleaved_pairs",
    "unrolled-by-2": "add_unrolled_blocks<2>",
    "unrolled-by-4": "add_unrolled_blocks<4>",
    "unrolled-by-8": "add_unrolled_blocks<8>",
    "unrolled-last-warp": "add_unrolled_last_warp",
    "completely-unrolled": "add_completely_unrolled",
    "template-block-size": "add_with_template<512>",
    "warp-shuffles": "add_with_shuffles",
    "grid-stride-16-byte-loads": "add_with_grid_stride",
    "last-block-finishes": "add_and_finish",
    "foldline-sum": "add_integers",
    "cub-sum": "DeviceReduceKernel",
    "plain-read": "read_only",
}

MATMUL_KERNELS = {
    "one-thread-per-entry": "multiply_entry",
    "tiles-in-shared-memory": "multiply_tiles",
    "tile-size-at-run-time": "multiply_tiles_of_any_size",
    "padded-tiles": "multiply_padded_tiles",
    "patches-in-registers": "multiply_patches",
    "two-buffers": "multiply_with_two_buffers",
    "tensor-cores": "multiply_on_tensor_cores",
}

# The kernels of rungs whose time alone is shown, at the problem's default size.
KERNELS_OF = {
    "dot": {
        "tree-in-shared-memory": ["add_in_tree"],
        "warp-shuffles": ["dot_with_shuffles"],
        "foldline-dot": ["reduce_kernel"],
        "cublas-dot": ["dot_kernel", "reduce_1Block_kernel"],
        "plain-read": ["read_only"],
    },
    "column-sums": {
        "two-passes": ["add_slice", "add_partials"],
        "foldline-column-sums": ["columns_kernel"],
        "cublas-gemv": ["kernel", "splitKreduce_kernel"],
        "plain-read": ["read_only"],
    },
    "scan": {
        "reduce-then-scan": ["add_slices", "scan_sums", "scan_slices"],
        "decoupled-look-back": ["scan_with_look_back"],
        "foldline-inclusive-scan": ["scan_in_pipeline"],
        "cub-inclusive-sum": ["DeviceScanInitKernel", "DeviceScanKernel"],
    },
}


def kernels_called(kernel, counted):
    """The counters of the kernels of that name, which may be part of a longer one."""
    return [counters for name, counters in counted.items() if re.search(rf"(?:^|[\s:]){re.escape(kernel)}(?:[(<\s]|$)", name.replace("(int)", ""))]


class NotMeasured(Exception):
    """The record is older than a problem."""


class Ladder:
    def __init__(self, runs):
        self.problems, self.counters = {}, {}
        for run in runs:
            self.problems.update(run["problems"])
            self.counters.update(run["counters"])

    def reports(self, name):
        if name not in self.problems:
            raise NotMeasured(name)
        return self.problems[name]["reports"]

    def rungs(self, name, report=0):
        return [rung for rung in self.reports(name)[report]["rungs"] if rung["status"] == "ok"]

    def counted(self, problem, kernel):
        if problem not in self.counters:
            raise NotMeasured(problem)
        found = kernels_called(kernel, self.counters[problem])
        if len(found) != 1:
            raise LookupError(f"{len(found)} kernels are called {kernel}")
        return found[0]


def reduce_table(record):
    large = {rung["rung"]: rung for rung in record.rungs("reduce, 2^28")}
    first = next(rung for rung in record.rungs("reduce") if rung["rung"] == "neighboured-pairs")
    rows = []
    for rung in record.rungs("reduce"):
        name, then = rung["rung"], THEN.get(rung["rung"], ())
        gpu = rung["kernels"] or rung["kind"] != "rung"
        rows.append([
            name, number(then[0]) if then else "", f"{THEN['neighboured-pairs'][0] / then[0]:.2f}" if then else "",
            number(rung["cold"]["median"]), f"{first['cold']['median'] / rung['cold']['median']:.2f}" if gpu else "",
            number(rung["total"]["median"]), number(rung["gigabytes_per_second"]),
            number(large[name]["gigabytes_per_second"]) if name in large else ""])
    return table(["rung", "then, us", "x first", "cold, us", "x first", "total, us", "GB/s", "GB/s, 2^28"], rows)


def counters_table(record):
    rows = []
    for rung, kernel in KERNELS.items():
        c = record.counted("reduce", kernel)
        _, then_instructions, then_rate, *_ = *THEN.get(rung, ()), None, None, None
        rows.append([
            rung, number(c["microseconds"]), number(c["instructions"] / c["warps"]), number(then_instructions) if then_instructions else "", number(c["threads_an_instruction"]), f"{c['uniform_branches_percent']:.1f}%",
            number(c["load_requests"] / c["warps"]), number(c["load_sectors"] / c["load_requests"]),
            f"{100 * c['load_sectors_in_l1'] / c['load_sectors']:.0f}%", number(32e-3 * c["load_sectors"] / c["microseconds"]),
            number(then_rate) if then_rate else "", number(1e-6 * c["memory_bytes_read"]), f"{c['issue_percent']:.0f}%", f"{c['waiting_at_barriers']:.1f}", f"{c['waiting_for_loads']:.1f}"])
    return table(["rung", "kernel, us", "instructions a warp", "then", "threads each", "uniform branches", "loads a warp", "sectors a load", "found in L1",
                  "GB/s loaded", "then", "MB from memory", "issuing", "waiting at barriers", "waiting for loads"], rows)


def kernels_table(record):
    rows = [[problem, rung, number(sum(record.counted(problem, kernel)["microseconds"] for kernel in kernels))]
            for problem, rungs in KERNELS_OF.items() for rung, kernels in rungs.items()]
    return table(["problem", "rung", "kernels alone, us"], rows)


def times_table(record, name, title, shape):
    """Cold times, a column for each size."""
    reports = record.reports(name)
    names = [rung["rung"] for rung in reports[0]["rungs"]]
    times = [{rung["rung"]: number(rung["cold"]["median"]) if rung["status"] == "ok" else "-" for rung in report["rungs"]} for report in reports]
    return table([title, *(shape(report["title"]) for report in reports)], [[name, *(of[name] for of in times)] for name in names])


def columns_ratios(record):
    """Total times of the first rung over those of each."""
    reports = record.reports("column-sums")
    names = [rung["rung"] for rung in reports[0]["rungs"] if rung["kind"] in ("rung", "library", "reference")]
    ratios = [{rung["rung"]: rung["speed_up_over_first"] for rung in report["rungs"]} for report in reports]
    return table(["total, x first", *map(column_shape, (report["title"] for report in reports))],
                 [[name, *("1" if of[name] is None else f"{of[name]:.1f}" if of[name] < 100 else f"{of[name]:.0f}" for of in ratios)] for name in names])


def column_shape(title):
    return " x ".join(re.findall(r"\d+", title))


def dot_shape(title):
    return re.sub(r"dot product of (\d+) (\w+), .*", r"\1 \2", title)


def scan_table(record):
    large = {rung["rung"]: number(rung["cold"]["median"]) for rung in record.rungs("scan, 2^27")}
    rows = [[rung["rung"], number(rung["cold"]["median"]), number(rung["total"]["median"]), number(rung["gigabytes_per_second"]),
             large.get(rung["rung"], "")] for rung in record.rungs("scan")]
    return table(["rung", "cold, us", "total, us", "GB/s", "2^27: cold, us"], rows)


def matmul_table(record):
    large = {(rung["rung"], i): rung for i in (0, 1) for rung in record.rungs("matmul, 4096", i)}
    found = [{rung["rung"]: rung for rung in record.rungs("matmul", i)} for i in (0, 1)]
    rows = []
    for name in (rung["rung"] for rung in record.reports("matmul")[0]["rungs"]):
        row = [name]
        for i in (0, 1):
            rung, at_4096 = found[i].get(name), large.get((name, i))
            row += [number(rung["cold"]["median"]), number(rung["gigaflops"]), f"{100 * rung['of_roof']:.0f}%"] if rung else ["-"] * 3
            row.append(number(at_4096["gigaflops"]) if at_4096 else "")
        rows.append(row)
    of_type = ["cold, us", "GFLOP/s", "of the roof", "4096: GFLOP/s"]
    return table(["rung", *("floats: " + of_type[0], *of_type[1:]), *("doubles: " + of_type[0], *of_type[1:])], rows)


def matmul_counters(record):
    rows = []
    for rung, kernel in MATMUL_KERNELS.items():
        c = record.counted("matmul", kernel)
        rows.append([rung, number(c["microseconds"]), number(1e-6 * c["instructions"]), number(1e-6 * c["load_requests"]), number(1e-6 * c["bank_conflicts"]),
                     number(1e-6 * c["memory_bytes_read"]), f"{c['issue_percent']:.0f}%", f"{c['waiting_at_barriers']:.1f}", f"{c['waiting_for_loads']:.1f}"])
    return table(["rung, doubles", "kernel, us", "million instructions", "million loads from global memory", "million bank conflicts", "MB from memory", "issuing",
                  "waiting at barriers", "waiting for loads"], rows)


def integral_shape(title):
    return re.sub(r"integral of (.*) from 0 to 1, \d+ intervals, (\w+), .*", r"\1, \2", title)


def integral_errors(record):
    reports = record.reports("quadrature")
    names = [rung["rung"] for rung in reports[0]["rungs"] if rung["kind"] != "roof" and rung["rung"] != "rules-compared"]
    errors = [{rung["rung"]: f"{rung['check']['worst_ulp']:.3g}" if rung["status"] == "ok" else "-" for rung in report["rungs"]} for report in reports]
    return table(["error, ulp", *(integral_shape(report["title"]) for report in reports)], [[name, *(of[name] for of in errors)] for name in names])


def integral_rules(record):
    compared = {integral_shape(report["title"]).removesuffix(", doubles"): rung["tables"][0]
                for report in record.reports("quadrature") for rung in report["rungs"] if rung["rung"] == "rules-compared" and rung["status"] == "ok"}
    tables = list(compared.values())
    rows = [[row["label"], *(f"{cell:.1e}" for of in tables for cell in of["rows"][i]["cells"])] for i, row in enumerate(tables[0]["rows"])]
    return table(["intervals", *(f"{function}: {column}" if column == of["columns"][0] else column for function, of in compared.items() for column in of["columns"])], rows)


PLACES = {
    "registers": ("registers", "a thread", "the multiprocessor"),
    "shared": ("shared", "a block", "the multiprocessor"),
    "constant": ("constant", "the grid, reads only, 64 KB", "memory, with a cache for words that all lanes read"),
    "texture": ("texture", "the grid, reads only", "memory, cached in L1"),
    "local": ("local", "a thread", "memory, cached in L1"),
    "global, in L1": ("global", "the grid", "in the L1 cache"),
    "global, in L2": ("global", "the grid", "in the L2 cache"),
    "global, in no": ("global", "the grid", "memory, in no cache"),
}


def memory_table(record):
    tables = [table for rung in record.rungs("memory") for table in rung["tables"]]
    latencies, bandwidths = (next(t for t in tables if t["title"].startswith(title)) for title in ("latency", "bandwidth"))

    def cells(of, start):
        return next(row["cells"] for row in of["rows"] if row["label"].startswith(start))

    rows = [[*place, number(cells(latencies, start)[0]), *map(number, cells(bandwidths, start))] for start, place in PLACES.items()]
    return table(["kind", "who sees it", "where it is", "cycles to the next dependent one", "bytes a cycle, one multiprocessor", "GB/s, all"], rows)


TABLES = {
    "matmul": matmul_table,
    "matmul, counters": matmul_counters,
    "quadrature": lambda record: times_table(record, "quadrature", "cold, us", integral_shape),
    "quadrature, errors": integral_errors,
    "quadrature, rules": integral_rules,
    "reduce": reduce_table,
    "counters": counters_table,
    "kernels": kernels_table,
    "dot": lambda record: times_table(record, "dot", "cold, us", dot_shape),
    "column-sums": lambda record: times_table(record, "column-sums", "cold, us", column_shape),
    "column-sums, ratios": columns_ratios,
    "scan": scan_table,
    "memory": memory_table,
}
