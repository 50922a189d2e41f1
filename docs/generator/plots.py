"""The plots of docs/accuracy-and-speed.md, from records/."""
from .records import FILES
from .svg import Line, chart

FOLDLINE, FAST, READ, PEER, OTHER, LOOP = "#2ca25f", "#3b8fd4", "#808080", "#d9822b", "#a672c4", "#d64545"


def size_of(name):
    """The number of elements in the name of a group or a shape: 2^20 or 64."""
    return 2 ** int(name[2:]) if name.startswith("2^") else int(name)


def points(records, record, start, end):
    """n and a number, for every n that a record has between two parts of a name."""
    found = []
    for name, value in records.numbers(record).items():
        if name.startswith(start) and name.endswith(end):
            size = name[len(start):len(name) - len(end)]
            if size.replace("2^", "").isdigit():
                found.append((size_of(size), value))
    return sorted(found)


def cpu_record(records):
    """A run over many sizes, where there is one; else what the targets' run has."""
    return "zen5-sizes" if (records.folder / FILES["zen5-sizes"]).exists() else "zen5"


def cpu_speed(records):
    record = cpu_record(records)
    contestants = (("exact", "foldline, exact", FOLDLINE, "", 2.6), ("fast", "foldline, fast", FAST, "", 1.8), ("plain sum", "plain loop", LOOP, "6 3", 1.8),
                   ("cblas_dasum", "OpenBLAS dasum", PEER, "", 1.8), ("std::reduce unseq", "std::reduce", OTHER, "2 2", 1.8))
    lines = [Line(label, colour, points(records, record, "sum/float64/", f"/1/uniform: {name}, GB/s"), dashes, width)
             for name, label, colour, dashes, width in contestants]
    return chart("Sum of n doubles, one thread of a Zen 5 (AVX-512)", "n", "GB/s", lines,
                 "GB/s against n. Of few elements foldline is slower than loops that round at every addition, of many as fast as memory.")


def gpu_speed(records):
    contestants = (("foldline-dot", "foldline, exact", FOLDLINE, "", 2.6), ("cublas-dot", "cuBLAS", PEER, "", 1.8),
                   ("tree-in-shared-memory", "textbook's kernel", LOOP, "6 3", 1.8), ("plain-read", "reads only", READ, "2 2", 1.8))
    lines = [Line(label, colour, points(records, "ladder", "dot, ", f" doubles: {name}, GB/s"), dashes, width)
             for name, label, colour, dashes, width in contestants]
    return chart("Dot product of n doubles on an H200, caches cold", "n", "GB/s", lines,
                 "GB/s against n, by the time between two events around the kernels.")


def gpu_scans(records):
    def beside_cub(kind, way):
        return points(records, "h200", f"inclusive_scan/{kind}/", f"/cuda/uniform: {way} / fastest peer")

    lines = [Line("int32, exact", OTHER, beside_cub("int32", "exact")), Line("int64, exact", PEER, beside_cub("int64", "exact")),
             Line("floats, exact", LOOP, beside_cub("float32", "exact"), "6 3"), Line("doubles, exact", FOLDLINE, beside_cub("float64", "exact"), "", 2.6),
             Line("doubles, fast", FAST, beside_cub("float64", "fast"), "2 2")]
    return chart("Prefix sums of n elements on an H200, beside CUB's inexact ones", "n", "times as fast as the faster of two CUBs", lines,
                 "Speed of foldline's scans over that of CUB's, against n.", y_logarithmic=False, y_ticks=(0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75),
                 levels=((1, "as fast as CUB"),))


def error(records):
    contestants = (("products-on-device", "added one by one", LOOP, "6 3", 1.8), ("one-thread-adds-shared", "one sum of partial sums", OTHER, "", 1.8),
                   ("cublas-dot", "cuBLAS", PEER, "", 1.8), ("tree-in-shared-memory", "textbook's tree", FAST, "2 2", 1.8),
                   ("foldline-dot", "foldline, exact", FOLDLINE, "", 2.6))
    def errors(name):
        """Without those of 0, which have no place on a logarithmic axis: the text's 1024 ones add up exactly however they are added."""
        return [(n, ulp) for n, ulp in points(records, "ladder", "dot, ", f" doubles: {name}, ulp") if ulp != 0]

    lines = [Line(label, colour, errors(name), dashes, width) for name, label, colour, dashes, width in contestants]
    return chart("Error of a dot product of n doubles (H200)", "n", "units in the last place", lines,
                 "Error in units in the last place against n. foldline's is at most a half: the rounding of the result.",
                 levels=((0.5, "1/2: one rounding"),))


PLOTS = {"sum-cpu": cpu_speed, "dot-gpu": gpu_speed, "scan-gpu": gpu_scans, "dot-error": error}
# Heat maps, of the records that are there: file and title.
GRIDS = {
    "grid-cpu": ("cpu-grid.json", "Speed beside NumPy, one thread, arrays in memory"),
    "grid-gpu": ("gpu-grid.json", "Speed on a GPU beside the faster of CUB and PyTorch, arrays in memory"),
}
