"""Trains a small model with DistributedDataParallel many times: with foldline's exact hook and with the group's own all-reduce, for three bucket sizes and
ranks in several orders, and prints how many different models come out.

    python3 bench/ddp.py --ranks 8                      # on the CPU, by gloo
    python3 bench/ddp.py --ranks 2 --backend nccl       # on two GPUs
    python3 bench/ddp.py --ranks 4 --json FILE

The exact hook must give one model, and the same one as a process that trains alone: it computes the gradients of all ranks' data one after the other and
takes their exact mean on the CPU. Two ranks show no difference without the hook: the sum of two numbers is rounded once by any all-reduce, whatever the
order, and a division by 2 does not round. From three ranks on there are two roundings and orders to choose from.
"""
import argparse
import datetime
import hashlib
import json
import os
import sys
import tempfile

import numpy as np
import torch
import torch.distributed as dist

import foldline.torch as ft
import foldline.torch.distributed as fd

BUCKETS = (0.0001, 0.004, 25)  # MiB


def new_model(device):
    torch.manual_seed(1)
    layers = (layer for _ in range(4) for layer in (torch.nn.Linear(24, 24), torch.nn.Tanh()))
    return torch.nn.Sequential(*layers, torch.nn.Linear(24, 1)).to(device)


def data_of(ranks, device):
    x = torch.randn(ranks, 16, 24, generator=torch.Generator().manual_seed(2))
    y = torch.randn(ranks, 16, 1, generator=torch.Generator().manual_seed(3))
    return x.to(device), y.to(device)


def optimizer_of(model):
    return torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def digest(model):
    return hashlib.sha256(b"".join(p.detach().cpu().numpy().tobytes() for p in model.parameters())).hexdigest()[:16]


def trained(device, ranks, shard, megabytes, exact, steps):
    """The digest of the model after some steps; `shard` says which data this rank has."""
    model = new_model(device)
    x, y = data_of(ranks, device)
    ddp = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=megabytes)
    if exact:
        ddp.register_comm_hook(None, fd.exact_hook)
    optimizer = optimizer_of(ddp)
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(ddp(x[shard]), y[shard]).backward()
        optimizer.step()
    digests = [None] * ranks
    dist.all_gather_object(digests, digest(model))
    if len(set(digests)) != 1:
        sys.exit(f"ranks have different models: {digests}")
    return digests[0]


def trained_alone(device, ranks, steps):
    """The same by one process, with exact means on the CPU."""
    model = new_model(device)
    x, y = data_of(ranks, device)
    optimizer = optimizer_of(model)
    for _ in range(steps):
        of_ranks = []
        for shard in range(ranks):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x[shard]), y[shard]).backward()
            of_ranks.append([p.grad.detach().cpu().clone() for p in model.parameters()])
        for p, gradients in zip(model.parameters(), zip(*of_ranks)):
            p.grad.copy_(ft.mean(torch.stack(gradients), 0))
        optimizer.step()
    return digest(model)


def process(rank, options, store):
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    ranks = options.ranks
    device = torch.device("cuda", rank) if options.backend == "nccl" else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group(options.backend, init_method=f"file://{store}", rank=rank, world_size=ranks, timeout=datetime.timedelta(seconds=60))
    orders = [list(range(ranks)), list(reversed(range(ranks))), [int(i) for i in np.random.default_rng(4).permutation(ranks)]]
    runs = [(megabytes, order) for megabytes in BUCKETS for order in orders]
    results = {}
    for name, exact in (("exact", True), (options.backend, False)):
        results[name] = [trained(device, ranks, order[rank], megabytes, exact, options.steps) for megabytes, order in runs]
    if rank == 0:
        results["alone"] = trained_alone(device, ranks, options.steps)
        report(options, results, len(runs))
    dist.barrier()
    dist.destroy_process_group()


def report(options, results, runs):
    exact, own = results["exact"], results[options.backend]
    print(f"{options.ranks} ranks by {options.backend}, {options.steps} steps, {len(BUCKETS)} bucket sizes, {runs // len(BUCKETS)} orders of ranks: "
          f"{len(set(exact))} model with the exact hook, {len(set(own))} with {options.backend}'s own all-reduce")
    if options.ranks == 2 and len(set(own)) == 1:
        print("of two ranks no difference can be seen: any engine rounds the sum of two numbers once")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"ranks": options.ranks, "backend": options.backend, "steps": options.steps, "torch": torch.__version__, **results}, file, indent=1)
    if set(exact) != {results["alone"]}:
        sys.exit(f"WRONG: the models with the exact hook are {sorted(set(exact))}, a process that trains alone has {results['alone']}")
    print("a process that trains alone, with exact means on the CPU, has the same model")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--backend", choices=("gloo", "nccl"), default="gloo")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--json")
    options = parser.parse_args()
    if options.backend == "nccl":
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # so that a GPU repeats its own products
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(process, (options, os.path.join(folder, "store")), options.ranks, start_method="spawn")


if __name__ == "__main__":
    main()
