"""Tables of what foldline-bench measured. Each is a function of the records; a cell that a record lacks is a dash."""
from .markdown import number, table
from .records import size_text

KINDS = ("uniform", "normal")
OPERATIONS = {"sum": "sum", "abs_sum": "sum of magnitudes", "dot": "dot product", "two_norm": "two-norm", "mean": "mean", "variance": "variance",
              "statistics": "all statistics"}
TYPES = {"float64": "doubles", "float32": "floats", "int64": "int64", "int32": "int32"}


def cell(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)


def pair(records, record, group, name, form="{:.2f}"):
    """The figure for each kind of data, uniform and normal, once if they are the same."""
    cells = [cell(records.number(record, f"{group}/{kind}: {name}"), form) for kind in KINDS]
    return cells[0] if cells[0] == cells[1] else ", ".join(cells)


def best(records, record, group, against):
    """The name of a target whose peer's name has a version in it: 'exact / NumPy 1.24.2'."""
    return next((name.split(": ", 1)[1] for name in records.numbers(record) if name.startswith(f"{group}/uniform: exact / {against}")
                 and not name.endswith(", reached")), f"exact / {against}")


CPU_ROWS = (
    ("sum, doubles", "sum/float64/2^27/2", "roof", "the best reader"),
    ("sum, floats", "sum/float32/2^27/2", "roof", "the best reader"),
    ("dot product, doubles", "dot/float64/2^27/2", "roof", "the best reader"),
    ("sum, doubles", "sum/float64/2^27/1", "cblas_dasum", "OpenBLAS `dasum`"),
    ("two-norm, doubles", "two_norm/float64/2^27/1", "cblas_dnrm2", "OpenBLAS `dnrm2`"),
    ("sum, doubles, in cache", "sum/float64/2^16/1", "plain", "a plain loop"),
    ("prefix sums, doubles", "inclusive_scan/float64/2^26/2", "copy roof", "the best copy"),
    ("prefix sums, floats", "inclusive_scan/float32/2^26/2", "copy roof", "the best copy"),
    ("prefix sums, int64", "inclusive_scan/int64/2^26/2", "copy roof", "the best copy"),
    ("prefix sums, doubles", "inclusive_scan/float64/2^26/1", "std::inclusive_scan", "`std::inclusive_scan`"),
    ("prefix sums, doubles", "inclusive_scan/float64/2^26/1", "NumPy", "NumPy's `cumsum`"),
    ("column sums, doubles, 6400000 x 8", "column_sums:6400000x8/float64/51200000/2", "roof", "the best reader"),
    ("column sums, doubles, 20000 x 1000", "column_sums:20000x1000/float64/20000000/2", "roof", "the best reader"),
    ("column sums, doubles, 20000 x 1000", "column_sums:20000x1000/float64/20000000/2", "cblas_dgemv", "OpenBLAS `dgemv`"),
)


def cpu(records):
    lines = []
    for label, group, against, shown in CPU_ROWS:
        *_, size, threads = group.split("/")
        ratios = [pair(records, record, group, best(records, record, group, against)) for record in ("zen5", "zen4")]
        lines.append([label, size if "^" in size else "", threads, shown, *ratios])
    wide = [cell(records.number(record, "sum/float64/2^27/2/wide: exact / roof")) for record in ("zen5", "zen4")]
    lines.append(["sum, doubles, exponents over the whole range", "2^27", "2", "the best reader", *wide])
    return table(["exact", "n", "threads", "beside", "Zen 5", "Zen 4"], lines)


def cpu_few(records):
    contestants = (("exact", "foldline"), ("plain sum", "a plain loop"), ("cblas_dasum", "OpenBLAS `dasum`"), ("std::reduce unseq", "`std::reduce`"))
    lines = [[size, *(number(records.number("zen5", f"sum/float64/{size}/1/uniform: {name}, ns")) for name, _ in contestants)]
             for size in ("64", "512", "2^14", "2^16")]
    return table(["doubles", *(f"{label}, ns" for _, label in contestants)], lines)


def cpu_columns(records):
    contestants = ("exact", "cblas_dgemv", "NumPy *", "plain read")
    lines = []
    for shape in ("6400000 x 8", "400000 x 64", "20000 x 1000", "100 x 1000000"):
        rows, columns = map(int, shape.split(" x "))
        for kind in KINDS:
            group = f"column_sums:{rows}x{columns}/float64/{rows * columns}/2/{kind}"
            rates = [f"{records.select('zen4', f'{group}: {name}, GB/s')[0]:.1f}" for name in contestants]
            lines.append([shape if kind == KINDS[0] else "", kind, *rates])
    return table(["matrix", "data", "foldline", "`dgemv`", "NumPy", "reading"], lines)


def gpu_reductions(records):
    lines = []
    for operation, label in OPERATIONS.items():
        for kind, size in (("float64", "2^28"), ("float32", "2^29")):
            group = f"{operation}/{kind}/{size}/cuda"
            lines.append([f"{label}, {TYPES[kind]}",
                          *(pair(records, record, group, "exact / roof") for record in ("h200", "h100")),
                          *(cell(records.number("h200", f"{group}/{data}: exact / roof")) for data in ("outliers", "wide")),
                          pair(records, "h200", group, "exact / fastest peer"), pair(records, "h200", group, best(records, "h200", group, "PyTorch"))])
    return table(["of 2^28 doubles, 2^29 floats", "of the best reader, H200", "H100", "one in a hundred far away", "exponents over the whole range",
                  "beside CUB and cuBLAS", "beside PyTorch"], lines)


def gpu_few(records):
    lines = []
    for size in ("2^10", "2^12", "2^14", "2^16", "2^18", "2^20"):
        cells = []
        for operation, peer in (("sum", "CUB 3.0.1 Sum (time)"), ("two_norm", "cublasDnrm2 (time)")):
            for calls in ("stream", "cuda"):
                cells.append(pair(records, "h200", f"{operation}/float64/{size}/{calls}", f"exact / {peer}"))
        lines.append([size, *cells])
    return table(["doubles", "sum, time of CUB's", "in a graph", "two-norm, time of cuBLAS's", "in a graph"], lines)


def gpu_scans(records):
    lines = []
    for kind in ("int32", "int64", "float32", "float64"):
        for size in ("2^18", "2^20", "2^22", "2^24", "2^29" if kind.endswith("32") else "2^28"):
            group = f"inclusive_scan/{kind}/{size}/cuda"
            fast = "fast" if kind.startswith("float") else "wrap"
            lines.append([f"{size} {TYPES[kind]}", *(pair(records, record, group, f"{way} / fastest peer") for record in ("h200", "h100") for way in ("exact", fast)),
                          pair(records, "h200", group, "exact / copy roof")])
    return table(["prefix sums of", "exact, H200", "fast", "exact, H100", "fast", "exact, of a copy, H200"], lines)


def gpu_columns(records):
    lines = []
    for shape in ("160000 x 8", "1600000 x 8", "6400000 x 8", "160000 x 32", "1600000 x 32", "6400000 x 32", "160000 x 64", "1600000 x 64",
                  "1000 x 1000000", "1000000 x 1000"):
        rows, columns = map(int, shape.split(" x "))
        group = f"column_sums:{rows}x{columns}/float64/{rows * columns}/cuda"
        lines.append([shape, pair(records, "h200", group, "exact / roof"), pair(records, "h200", group, "exact / fastest peer"),
                      pair(records, "h200", group, best(records, "h200", group, "PyTorch"))])
    return table(["doubles", "of the best reader", "beside cuBLAS", "beside PyTorch"], lines)


def label_of(group, contestant):
    """A group in words: 'prefix sums, 2^20 int64, exact'."""
    operation, kind, size, calls = group.split("/")[:4]
    name, _, shape = operation.partition(":")
    words = {**OPERATIONS, "inclusive_scan": "prefix sums", "column_sums": "column sums"}[name]
    words += f", {shape.replace('x', ' x ')} {TYPES[kind]}" if shape else f", {size_text(size)} {TYPES[kind]}"
    return words + (", one by one" if calls == "stream" else "") + {"exact": "", "fast": ", fast", "wrap": ", unchecked"}[contestant]


def gpu_missed(records):
    """Targets that the H200 misses; those of both kinds of data on one line."""
    found = {}
    for run in records.runs("h200"):
        for target in run["targets"]:
            if target["verdict"] == "MISS":
                line = label_of(target["group"], target["contestant"].removeprefix("foldline ")), target["against"], f"{target['required']:g}"
                found.setdefault(line, []).append(f"{target['ratio']['value']:.3f}")
    return table(["figure", "beside", "asked", "measured"], [[*line, ", ".join(ratios)] for line, ratios in found.items()])


def gpu_products(records):
    lines = []
    for size in (2048, 4096):
        for kind in ("doubles", "floats"):
            times = [records.number("ladder", f"matmul, {size} {kind}: {rung}, cold") for rung in ("cublas-gemm", "foldline-matrix-product")]
            lines.append([f"{size} {kind}", *(number(time / 1000) for time in times), f"{times[1] / times[0]:.2f}"])
    return table(["n x n, n", "cuBLAS, rounded at each step, ms", "exact, ms", "exact / cuBLAS"], lines)


TABLES = {
    "cpu": cpu,
    "cpu, few elements": cpu_few,
    "cpu, columns": cpu_columns,
    "gpu, reductions": gpu_reductions,
    "gpu, few elements": gpu_few,
    "gpu, scans": gpu_scans,
    "gpu, columns": gpu_columns,
    "gpu, missed": gpu_missed,
    "gpu, products": gpu_products,
}
