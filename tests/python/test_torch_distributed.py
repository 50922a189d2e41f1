"""foldline.torch.distributed between processes that gloo connects, and between GPUs that NCCL does. Skipped where there is no PyTorch."""
import datetime
import functools
import hashlib
import os
import pathlib
import subprocess
import sys
import time

import ml_dtypes
import numpy as np
import pytest

import foldline as fl
from arrays import elements
from oracle import BFLOAT16, FLOATS, along, assert_same, mean_of, sum_of

torch = pytest.importorskip("torch")
dist = pytest.importorskip("torch.distributed")
if not dist.is_available() or not dist.is_gloo_available():
    pytest.skip("there is no gloo", allow_module_level=True)
fd = pytest.importorskip("foldline.torch.distributed")
TIME_LIMIT = 240  # seconds; they need some 30
device = torch.device("cpu")  # of this process


def of_torch(x):
    x = np.array(x)
    return (torch.from_numpy(x.view(np.int16)).view(torch.bfloat16) if x.dtype == BFLOAT16 else torch.from_numpy(x)).to(device)


def of_numpy(x):
    x = x.detach().resolve_neg().contiguous().cpu()
    return x.view(torch.int16).numpy().view(ml_dtypes.bfloat16) if x.dtype == torch.bfloat16 else x.numpy()


def data(dtype, ranks, n, seed):
    """A row for each rank: what cancels, overflows on the way, is NaN, infinite or -0.0."""
    x = elements(dtype, ranks * n, seed, False).reshape(ranks, n)
    largest = ml_dtypes.finfo(dtype).max
    for column, values in enumerate([(largest, largest, -largest, 1), (1, largest, -largest, -0.0), (np.inf, 1, 2, 3), (np.inf, -np.inf, 1, 2),
                                     (np.nan, 1, 2, 3), (-0.0, -0.0, -0.0, -0.0), (-0.0, 0.0, -0.0, -0.0), (largest, largest, 0, 0),
                                     (ml_dtypes.finfo(dtype).smallest_subnormal, 0, 0, 1)]):
        if column < n:
            x[:, column] = values[-1]
            x[:4, column] = values[:ranks]
    return x


def check_all_reduce(rank, ranks):
    for dtype in FLOATS:
        for seed, n in enumerate([0, 1, ranks - 1, ranks, ranks + 1, 12 * ranks, 97]):
            rows = data(dtype, ranks, n, seed + 20)
            wanted = along(sum_of, rows, 0)
            x = of_torch(rows[rank])
            fd.all_reduce(x)
            assert_same(of_numpy(x), wanted)
            output = torch.full((n,), np.nan, dtype=x.dtype, device=device)
            parts = np.stack([np.roll(rows, k, 1) for k in range(ranks)], 1)
            fd.reduce_scatter(output, of_torch(parts[rank]))
            assert_same(of_numpy(output), np.roll(wanted, rank))
    rows = data(np.dtype("float32"), ranks, 60, 3)
    for shape in ((60,), (5, 12), (3, 4, 5), (1, 60)):
        own = of_torch(rows[rank]).view(shape)
        turned = torch.empty(shape[::-1], device=device).permute(*reversed(range(len(shape))))
        gaps = torch.full((*shape, 2), 7.0, device=device)
        for x in (turned, gaps[..., 0], torch.nn.Parameter(own.clone()), torch.zeros(shape, dtype=torch.complex64, device=device).conj().imag):
            x.detach().copy_(own)
            fd.all_reduce(x)
            got = of_numpy(x)
            if x.is_neg() and device.type == "cuda":  # PyTorch negates such a view when it is read, and a GPU gives a negated NaN other bits
                got = np.where(np.isnan(got), np.float32(np.nan), got)
            assert_same(got, along(sum_of, rows, 0).reshape(shape))
        assert gaps[..., 1].eq(7).all()
    one = torch.ones(9, device=device)[::9]
    fd.all_reduce(one)
    assert one.item() == ranks


def check_groups(rank, ranks):
    if ranks < 4:
        return
    group = dist.new_group([3, 1, 2])
    x = torch.tensor([[0.0, 0.0], [1e30, 1.0], [-1e30, 2.0], [1.0, 4.0], [0.0, 0.0]][rank], device=device)
    if rank in (1, 2, 3):
        fd.all_reduce(x, group)
        assert x.tolist() == [1.0, 7.0]
    else:
        with pytest.raises(ValueError, match="not in the group"):
            fd.all_reduce(x, group)


def check_clipping(rank, ranks):
    """Of gradients that are spread over the ranks, the first of which has none."""
    cuts = [0, *sorted(np.random.default_rng(ranks).integers(0, 40 * ranks, ranks - 2))] if ranks > 2 else [0]
    for dtype, order in ((np.dtype("float32"), 2), (np.dtype("float64"), 2), (BFLOAT16, 2), (np.dtype("float32"), 1)):
        whole = elements(dtype, 40 * ranks, order, False)
        halves = np.array_split(np.split(whole, cuts)[rank], 2)
        parameters = [torch.nn.Parameter(torch.empty_like(of_torch(half))) for half in halves if len(half)]
        for p, gradient in zip(parameters, halves):
            p.grad = of_torch(gradient)
        norm = fd.clip_grad_norm_(parameters, 0.5, order)
        assert_same(of_numpy(norm), np.asarray(fl.vector_norm(whole, ord=order, dtype=np.float64 if dtype == np.float64 else np.float32)))
        scale = torch.clamp(0.5 / (norm + 1e-6), max=1.0)
        for p, gradient in zip(parameters, halves):
            assert_same(of_numpy(p.grad), of_numpy(of_torch(gradient).mul_(scale)))
    one = torch.nn.Parameter(torch.ones(1, device=device))
    one.grad = torch.full((1,), np.inf, device=device)
    last = rank == ranks - 1
    for kind, words, call in ((RuntimeError, "is inf", lambda: fd.clip_grad_norm_(one, 1.0, error_if_nonfinite=True)),
                              (ValueError, "max_norm 2.0", lambda: fd.clip_grad_norm_(one, 2.0 if last else 1.0)),
                              (ValueError, "order 1 with", lambda: fd.clip_grad_norm_(one, 1.0, 1 if last else 2)),
                              (ValueError, "norms of order 1 and 2", lambda: fd.clip_grad_norm_(one, 1.0, 3 if last else 2)),
                              (ValueError, "calls clip_grad_norm_ of", lambda: fd.clip_grad_norm_(one, 1.0) if last else fd.all_reduce(one.grad))):
        with pytest.raises(kind) as error:
            call()
        messages = [None] * ranks
        dist.all_gather_object(messages, str(error.value))
        assert words in messages[0] and len(set(messages)) == 1, messages


def check_errors(rank, ranks):
    """One rank is wrong; all get the same error, and can go on."""
    last = rank == ranks - 1
    x = torch.ones(12, device=device)

    def scatter(output, input):
        return lambda: fd.reduce_scatter(output, input)

    whole = torch.ones(3 * ranks, device=device)
    for kind, words, call in (
            (ValueError, f"12 elements of float32, but rank {ranks - 1} calls all_reduce with 11", lambda: fd.all_reduce(x[:11] if last else x)),
            (ValueError, "elements of float16", lambda: fd.all_reduce(x.half() if last else x.bfloat16())),
            (ValueError, "calls reduce_scatter", scatter(x[:3], whole) if last else lambda: fd.all_reduce(whole)),
            (TypeError, f"all_reduce: rank {ranks - 1}: the elements", lambda: fd.all_reduce(x.int() if last else x)),
            (TypeError, "rank 0: the elements", lambda: fd.all_reduce(x.to(torch.complex64))),
            (TypeError, "is sparse", lambda: fd.all_reduce(x.to_sparse() if last else x)),
            (TypeError, "different types", scatter(x[:3].double() if last else x[:3], whole)),
            (ValueError, "times the number of ranks", scatter(x[:2] if last else x[:3], whole))):
        with pytest.raises(kind) as error:
            call()
        messages = [None] * ranks
        dist.all_gather_object(messages, str(error.value))
        assert words in messages[0] and len(set(messages)) == 1, messages
    assert x.eq(1).all()


def trained(rank, shard, ranks, megabytes, exact, steps):
    """Bits of all parameters after some steps, and how many buckets the last of them had. `shard` says which data this rank has."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(*(m for _ in range(4) for m in (torch.nn.Linear(24, 24), torch.nn.Tanh())), torch.nn.Linear(24, 1)).to(device)
    x = torch.randn(ranks, 16, 24, generator=torch.Generator().manual_seed(2)).to(device)
    y = torch.randn(ranks, 16, 1, generator=torch.Generator().manual_seed(3)).to(device)
    buckets = []

    @functools.wraps(fd.exact_hook)  # its annotations, too, which are looked at
    def hook(state, bucket):
        buckets.append(bucket.index())
        return fd.exact_hook(state, bucket)

    ddp = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=megabytes)
    if exact:
        ddp.register_comm_hook(None, hook)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.05, momentum=0.9)
    for step in range(steps):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(ddp(x[shard]), y[shard]).backward()
        if exact and step == 0:
            check_gradients(model, x, y)
        optimizer.step()
    bits = hashlib.sha256(b"".join(of_numpy(p).tobytes() for p in model.parameters())).hexdigest()
    digests = [None] * ranks
    dist.all_gather_object(digests, bits)
    assert len(set(digests)) == 1
    return bits, 1 + max(buckets, default=0)


def check_gradients(model, x, y):
    """Against the means, by fractions, of what each rank's data give."""
    first = model[0].bias
    ours = of_numpy(first.grad).copy()
    of_all = [torch.autograd.grad(torch.nn.functional.mse_loss(model(a), b), first)[0].cpu().numpy() for a, b in zip(x, y)]
    assert_same(ours, along(mean_of, np.stack(of_all), 0))


def check_training(rank, ranks):
    orders = [list(range(ranks)), list(reversed(range(ranks))), list(np.random.default_rng(4).permutation(ranks))]
    runs = [(0.0001, orders[0]), (0.004, orders[0]), (25, orders[0]), (25, orders[1]), (0.0001, orders[2])]
    exact = [trained(rank, int(order[rank]), ranks, megabytes, True, 30) for megabytes, order in runs]
    assert len({bits for bits, _ in exact}) == 1, exact
    assert len({buckets for _, buckets in exact}) == 3, exact
    plain = [trained(rank, int(order[rank]), ranks, megabytes, False, 30) for megabytes, order in runs]
    if rank == 0:
        print(f"{ranks} ranks, {device.type}: {len(runs)} runs give 1 model with the exact hook, {len({bits for bits, _ in plain})} without")
    # Otherwise this shows nothing. The sum of two numbers is rounded once by all, so that two GPUs cannot show it.
    assert len({bits for bits, _ in plain}) > 1 or device.type == "cuda"


def check_death(rank, ranks):
    """Of one rank: the others get an error."""
    if rank == ranks - 1:
        os._exit(0)
    with pytest.raises(RuntimeError):
        while True:
            fd.all_reduce(torch.ones(1000))


def process(rank, ranks, store, backend):
    global device
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.set_num_threads(1)
    if backend == "nccl":
        device = torch.device("cuda", rank)
        torch.cuda.set_device(device)
    dist.init_process_group(backend, init_method=f"file://{store}", rank=rank, world_size=ranks, timeout=datetime.timedelta(seconds=60))
    for check in (check_all_reduce, check_groups, check_clipping, check_errors, check_training):
        check(rank, ranks)
    if backend == "gloo":
        check_death(rank, ranks)
    dist.destroy_process_group()


def run(backend, ranks, folder):
    processes = torch.multiprocessing.start_processes(process, (ranks, folder / "store", backend), ranks, join=False, start_method="spawn")
    end = time.monotonic() + TIME_LIMIT
    try:
        while not processes.join(timeout=1):
            assert time.monotonic() < end, "the processes hang"
    finally:
        for p in processes.processes:
            p.kill()


@pytest.mark.parametrize("ranks", [4, 5])
def test_on_the_cpu(ranks, tmp_path):
    run("gloo", ranks, tmp_path)


def test_the_example():
    program = pathlib.Path(__file__).resolve().parents[2] / "examples/python/ddp.py"
    done = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "3", program], capture_output=True, text=True,
                          timeout=TIME_LIMIT, env={**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"})
    assert (done.returncode, done.stdout) == (0, "3 ranks: one model from two sizes of buckets\n"), done.stderr


@pytest.mark.skipif(torch.cuda.device_count() < 2 or not fl.has_cuda(), reason="there are no two GPUs")
def test_on_gpus(tmp_path):
    run("nccl", torch.cuda.device_count(), tmp_path)
