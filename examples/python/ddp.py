"""Training by DistributedDataParallel with gradients that do not depend on buckets or on the order of ranks.

    torchrun --nproc-per-node 4 examples/python/ddp.py
"""
import hashlib

import torch
import torch.distributed as dist

from foldline.torch import distributed as fd

dist.init_process_group("gloo")  # or "nccl", with the model and its data on a GPU
rank, ranks = dist.get_rank(), dist.get_world_size()
torch.manual_seed(1)
data = torch.randn(ranks, 16, 8)

models = set()
for megabytes in (0.0001, 25):
    torch.manual_seed(2)
    network = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    model = torch.nn.parallel.DistributedDataParallel(network, bucket_cap_mb=megabytes)
    model.register_comm_hook(None, fd.exact_hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        model(data[rank]).square().mean().backward()
        optimizer.step()
    models.add(hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in network.parameters())).hexdigest())
assert len(models) == 1

total = torch.tensor({0: 1e30, ranks - 1: -1e30}.get(rank, 1.0))
fd.all_reduce(total)  # of any tensor, each element rounded once
assert ranks == 1 or total == ranks - 2
if rank == 0:
    print(f"{ranks} ranks: one model from two sizes of buckets")
dist.destroy_process_group()
