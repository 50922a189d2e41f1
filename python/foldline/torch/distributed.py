"""Exact sums over the processes of a torch.distributed group, element by element: of gradients, above all.

    import foldline.torch.distributed as fd
    fd.all_reduce(tensor)
    model.register_comm_hook(None, fd.exact_hook)  # of a DistributedDataParallel
    fd.clip_grad_norm_(parameters, 1.0)            # of which each rank has some

Each element of a result is the exact sum (or mean) of those that the P ranks bring, rounded once to the tensor's own type, so its bits do not depend on
the order of the ranks, nor on how a message is cut. Any backend that has all_to_all_single and all_gather_into_tensor carries it, as gloo and NCCL do.
Rank r gets slice r of all ranks, adds it up and gives it to all: the bytes of a ring's all-reduce, 2 (P - 1) / P of the tensor sent and received by each
rank. Besides the tensor, memory of up to three times its size is used.

Types are float16, bfloat16, float32 and float64; integers are exact by torch.distributed's own functions, which wrap around.
"""
import struct
from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist

import foldline.torch as ft
from foldline import _core

if not dist.is_available():
    raise ImportError("foldline.torch.distributed: this PyTorch is built without torch.distributed")

__all__ = ["all_reduce", "clip_grad_norm_", "exact_hook", "reduce_scatter"]

_Group = dist.ProcessGroup | None
_Reduction = Callable[[torch.Tensor, int], torch.Tensor]

_CALLS = ("all_reduce", "reduce_scatter", "clip_grad_norm_")
_TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
# What can be wrong on one rank, by the number that tells the others.
_PROBLEMS: tuple[tuple[type[Exception], str], ...] = (
    (TypeError, "the elements are not float16, bfloat16, float32 or float64; torch.distributed has the sum of integers"),
    (TypeError, "a tensor is sparse; give its dense values"),
    (TypeError, "input and output are of different types"),
    (ValueError, "the input must have as many elements as the output times the number of ranks"),
    (ValueError, "norms of order 1 and 2 are exact; PyTorch has others"),
)


def all_reduce(tensor: torch.Tensor, group: _Group = None) -> None:
    """Replace each element by the exact sum of those of all ranks, rounded once.

    Every rank of `group` (None: all) calls it with a tensor of the same number of elements and the same type, which may have any strides. If these differ,
    every rank raises the same ValueError, and of a type that is not taken the same TypeError; the tensors are then as they were. The host waits for a
    GPU to learn this. Tensors of all ranks are on devices of one backend; a rank that does not call it leaves the others to the group's timeout.
    """
    _check_member("all_reduce", group)
    _agree_on_tensor("all_reduce", tensor, _problem(tensor), group)
    with torch.no_grad():
        _reduce_everywhere(tensor.detach(), group, ft.sum)


def reduce_scatter(output: torch.Tensor, input: torch.Tensor, group: _Group = None) -> None:
    """Write to rank r's `output` slice r of the exact sum of all ranks' inputs, each element rounded once.

    `input` is P slices of as many elements as `output` has, one after the other in row-major order (its first dimension is P times that of the output, or
    there is one more, of P), as for torch.distributed.reduce_scatter_tensor. Errors are those of `all_reduce`.
    """
    _check_member("reduce_scatter", group)
    problem = _problem(input)
    if problem is None and input.dtype != output.dtype:
        problem = 2
    elif problem is None and input.numel() != output.numel() * dist.get_world_size(group):
        problem = 3
    _agree_on_tensor("reduce_scatter", input, problem, group)
    if output.numel() == 0:
        return
    with torch.no_grad():
        output.detach().copy_(_reduce_own_slice(_flat(input.detach()), group, ft.sum).view(output.shape))


def clip_grad_norm_(parameters: torch.Tensor | Iterable[torch.Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
                    group: _Group = None) -> torch.Tensor:
    """Scale the gradients of all ranks so that the norm of all of them together is at most `max_norm`; returns the norm that it was, on every rank.

    For parameters that are spread over the ranks: each rank gives those that it has, or none. (Where every rank has all parameters, as with
    DistributedDataParallel, it is `foldline.torch.clip_grad_norm_`.) The norm, of order 1 or 2, is exact and rounded once, to float32, or float64 if a rank
    has gradients of it: the same bits however the parameters are spread. The host waits for a GPU. Each rank sends 1.1 KB.

    Every rank raises the same error if ranks give different orders or limits (ValueError), a gradient is sparse or of another type than those of
    `all_reduce` (TypeError), or, with `error_if_nonfinite`, the norm is infinite or NaN (RuntimeError).
    """
    _check_member("clip_grad_norm_", group)
    of = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    gradients = [p.grad.detach() for p in of if p.grad is not None]
    device = gradients[0].device if gradients else _device_of(group)
    problems = [problem for problem in map(_problem, gradients) if problem is not None]
    if norm_type not in (1, 2):
        problems.append(4)
    (limit,) = struct.unpack("<q", struct.pack("<d", max_norm))
    _agree("clip_grad_norm_", -1 - problems[0] if problems else int(norm_type), limit, device, group)
    own = _core.Accumulator("abs_sum" if norm_type == 1 else "two_norm")
    for gradient in gradients:
        own.add(gradient)
    message = bytes([any(g.dtype == torch.float64 for g in gradients)]) + bytes(own)
    everyone = torch.empty(dist.get_world_size(group) * len(message), dtype=torch.uint8, device=device)
    dist.all_gather_into_tensor(everyone, torch.frombuffer(bytearray(message), dtype=torch.uint8).to(device), group=group)
    messages = [bytes(row) for row in everyone.cpu().view(-1, len(message)).numpy()]
    total = _core.Accumulator("abs_sum" if norm_type == 1 else "two_norm")
    for other in messages:
        total.merge(_core.Accumulator.from_bytes(other[1:]))
    dtype = torch.float64 if any(other[0] for other in messages) else torch.float32
    norm = torch.tensor(total.result(dtype=dtype).item(), dtype=dtype, device=device)
    if error_if_nonfinite and not torch.isfinite(norm):
        raise RuntimeError(f"foldline.torch.distributed.clip_grad_norm_: the total norm of order {norm_type} is {norm.item()}, so gradients cannot be "
                           "clipped by it; error_if_nonfinite=False scales them all the same")
    with torch.no_grad():
        scale = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
        for gradient in gradients:
            gradient.mul_(scale.to(gradient.device))
    return norm


# DistributedDataParallel looks at these annotations, which must be types, not strings.
def exact_hook(state: _Group, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:  # type: ignore[name-defined]
    """Average gradients exactly: a communication hook of DistributedDataParallel, `model.register_comm_hook(None, exact_hook)`.

    Each element is the exact sum over the ranks divided by their number, rounded once to the gradients' type. So `bucket_cap_mb`, the order of the
    ranks and that of the buckets do not show in the gradients. `state` is the process group that the model was made with, None for the default one.

    The backward pass goes on when it is done, or queued where it is on a GPU. That the ranks' parameters have the same sizes is checked by
    DistributedDataParallel, not again for each bucket.
    """
    buffer = bucket.buffer()
    _reduce_everywhere(buffer, state, ft.mean)
    done: torch.futures.Future[torch.Tensor] = torch.futures.Future(devices=[buffer.device] if buffer.is_cuda else None)
    done.set_result(buffer)
    return done


def _check_member(call: str, group: _Group) -> None:
    if dist.get_rank(group) < 0:
        raise ValueError(f"foldline.torch.distributed.{call}: this process is not in the group; only its members call it")


def _problem(tensor: torch.Tensor) -> int | None:
    if tensor.dtype not in _TYPES:
        return 0
    return 1 if tensor.layout != torch.strided else None


def _device_of(group: _Group) -> torch.device:
    """Where a group carries tensors of a rank that has none."""
    return torch.device("cuda", torch.cuda.current_device()) if "nccl" in dist.get_backend(group) else torch.device("cpu")


def _agree_on_tensor(call: str, tensor: torch.Tensor, problem: int | None, group: _Group) -> None:
    _agree(call, _TYPES.index(tensor.dtype) if problem is None else -1 - problem, tensor.numel(), tensor.device, group)


def _agree(call: str, kind: int, number: int, device: torch.device, group: _Group) -> None:
    """Raises the same error on all ranks if one has a problem, which a negative kind tells, or if what they bring differs."""
    own = torch.tensor([_CALLS.index(call), kind, number], dtype=torch.int64, device=device)
    everyone = torch.empty(dist.get_world_size(group) * own.numel(), dtype=torch.int64, device=device)
    dist.all_gather_into_tensor(everyone, own, group=group)
    ranks: list[tuple[int, int, int]] = list(map(tuple, everyone.view(-1, own.numel()).tolist()))
    for rank, (of, kind, _) in enumerate(ranks):
        if kind < 0:
            error, text = _PROBLEMS[-1 - kind]
            raise error(f"foldline.torch.distributed.{_CALLS[of]}: rank {rank}: {text}")
    for rank, other in enumerate(ranks):
        if other != ranks[0]:
            raise ValueError(f"foldline.torch.distributed: rank 0 calls {_described(ranks[0])}, but rank {rank} calls {_described(other)}; all ranks of a "
                             "group must make the same call with the same type and number of elements, or order and limit")


def _described(rank: tuple[int, int, int]) -> str:
    call, kind, count = rank
    if _CALLS[call] == "clip_grad_norm_":
        (limit,) = struct.unpack("<d", struct.pack("<q", count))
        return f"clip_grad_norm_ of order {kind} with max_norm {limit}"
    return f"{_CALLS[call]} with {count} elements of {str(_TYPES[kind]).removeprefix('torch.')}"


def _reduce_everywhere(tensor: torch.Tensor, group: _Group, reduction: _Reduction) -> None:
    count, ranks = tensor.numel(), dist.get_world_size(group)
    if count == 0:
        return
    slices = _flat(tensor)
    if count % ranks:
        slices = torch.nn.functional.pad(slices, (0, -count % ranks))
    own = _reduce_own_slice(slices, group, reduction)
    dist.all_gather_into_tensor(_bytes(slices), _bytes(own), group=group)
    if slices.data_ptr() != tensor.data_ptr():
        tensor.copy_(slices[:count].view(tensor.shape))


def _reduce_own_slice(slices: torch.Tensor, group: _Group, reduction: _Reduction) -> torch.Tensor:
    """What the reduction makes of slice r of all ranks, on rank r."""
    rows = torch.empty_like(slices)
    dist.all_to_all_single(_bytes(rows), _bytes(slices), group=group)
    return reduction(rows.view(dist.get_world_size(group), -1), 0)


def _flat(tensor: torch.Tensor) -> torch.Tensor:
    """The elements in row-major order, side by side: the tensor's own memory if they lie so there, else a copy."""
    return tensor.resolve_neg().contiguous().as_strided((tensor.numel(),), (1,))


def _bytes(vector: torch.Tensor) -> torch.Tensor:
    """As a backend carries it that does not know the type."""
    return vector.view(torch.uint8)
