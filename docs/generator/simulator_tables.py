"""The tables of docs/simulator.md: what the simulator counts beside what the hardware has counted."""
from . import ladder_tables
from .markdown import number, table

KERNELS = {"reduce": ladder_tables.KERNELS, "matmul": ladder_tables.MATMUL_KERNELS}
WITHIN = 0.2  # of the ratio to the problem's first rung; what is further off is bold


def instructions_table(records):
    """Ratios to the first rung of the problem say what the estimate is for: which kernel takes more."""
    hardware, simulated = ladder_tables.Ladder(records.runs("ladder")), records.json("simulated")["counters"]
    rows = []
    for problem, rungs in simulated.items():
        first = None
        for rung, counts in rungs.items():
            counted = hardware.counted(problem, KERNELS[problem][rung])
            pair = counts["instructions"] / counts["warps"], counted["instructions"] / counted["warps"]
            first = first or pair
            off = (pair[0] / first[0]) / (pair[1] / first[1]) - 1
            percent = f"{100 * off:+.0f}%" if pair is not first else ""
            mark = "**" if abs(off) > WITHIN else ""
            rows.append([problem, f"{mark}{rung}{mark}", number(pair[1]), number(pair[0]), f"{pair[1] / first[1]:.3f}", f"{pair[0] / first[0]:.3f}",
                         f"{mark}{percent}{mark}"])
    return table(["problem", "rung", "instructions a warp, H200", "simulated", "x first, H200", "x first, simulated", "off by"], rows)


TABLES = {"simulated instructions": instructions_table}
