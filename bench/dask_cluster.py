"""dask_cluster.py [ELEMENTS [FILE]]: the sum of a dask array that is larger than the memory of both workers of a local cluster, for five chunkings:
foldline.dask beside dask's own. Needs dask[array], distributed and foldline. FILE becomes records/dask.json."""
import datetime
import json
import pathlib
import sys
import time

import dask
import dask.array as da
from dask.distributed import Client, LocalCluster

from foldline import dask as fd


def array(size, chunk):
    """Numbers that depend on their place alone."""
    return ((da.arange(size, chunks=chunk) * 7919) % 1000003) * 0.1 - 50000.0


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 27
    limit = 300 << 20
    print(f"{8 * size / 2**20:.0f} MiB of doubles, 2 workers of {limit >> 20} MiB")
    with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=limit, dashboard_address=None) as cluster, Client(cluster):
        results, seconds = {"foldline": set(), "dask": set()}, {"foldline": [], "dask": []}
        for chunk in (1 << 20, 1 << 21, 3_000_001, 1_234_567, 777_777):
            times = {}
            for name, total in (("foldline", fd.sum), ("dask", da.sum)):
                start = time.perf_counter()
                results[name].add(float(total(array(size, chunk)).compute()).hex())
                times[name] = time.perf_counter() - start
                seconds[name].append(round(times[name], 3))
            print(f"chunks of {chunk}: foldline {times['foldline']:.2f} s, dask {times['dask']:.2f} s", flush=True)
    print(f"different results: foldline {len(results['foldline'])}, dask {len(results['dask'])}")
    if len(sys.argv) > 2:
        record = {"command": "bench/dask_cluster.py", "measured": datetime.date.today().isoformat(), "dask": dask.__version__, "MiB": 8 * size / 2**20,
                  "MiB of a worker": limit >> 20, "results": len(results["foldline"]), "results of dask": len(results["dask"]), "seconds": seconds}
        pathlib.Path(sys.argv[2]).write_text(json.dumps(record, indent=1) + "\n")
    return 0 if len(results["foldline"]) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
