"""A script as users of PyTorch write it; mypy checks it, nobody runs it."""
import torch

import foldline.torch as ft
import foldline.torch.distributed as fd

x = torch.ones(2, 3)
total: torch.Tensor = ft.sum(x, 0, dtype=torch.float64)
fd.all_reduce(x)
fd.reduce_scatter(x[0], x, group=torch.distributed.group.WORLD)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
model.register_comm_hook(None, fd.exact_hook)
norm: torch.Tensor = ft.clip_grad_norm_(model.parameters(), 1.0)

fd.all_reduce([1.0])  # type: ignore[arg-type]
ft.sum(x, axis=0)  # type: ignore[call-arg]
