"""Exact sums as operators of PyTorch: with gradients, under torch.compile and torch.func.vmap, on the CPU and on GPUs.

>>> import torch, foldline.torch
>>> x = torch.tensor([1e16, 1.0, -1e16], dtype=torch.float64, requires_grad=True)
>>> foldline.torch.sum(x)
tensor(1., dtype=torch.float64, grad_fn=<...>)

Names and arguments are PyTorch's. Each result is the exact one, rounded once: the same bits in every run, for every order of the elements. So are
the operators whatever torch.use_deterministic_algorithms says. Gradients are made of PyTorch's own operators where they are not sums.
"""
import math
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from foldline import _core

__all__ = ["clip_grad_norm_", "cumsum", "dot", "get_total_norm", "mean", "sum", "var", "vector_norm"]

_Dims = int | Sequence[int] | None


def sum(x: torch.Tensor, dim: _Dims = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    """The sum over some dimensions, or over all: exact, rounded once to `dtype`, by default as `foldline.sum` does."""
    return _called(_sum, x, _dims(dim), keepdim, dtype)


def mean(x: torch.Tensor, dim: _Dims = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    """The mean over some dimensions, or over all: the exact quotient, rounded once."""
    return _called(_mean, x, _dims(dim), keepdim, dtype)


def var(x: torch.Tensor, dim: _Dims = None, *, correction: int = 1, keepdim: bool = False) -> torch.Tensor:
    """The variance with the divisor n - `correction`, which is 1 by default, as in PyTorch: exact, rounded once."""
    return _called(_var, x, _dims(dim), correction, keepdim)


def vector_norm(x: torch.Tensor, ord: float = 2, dim: _Dims = None, keepdim: bool = False, *,
                dtype: torch.dtype | None = None) -> torch.Tensor:
    """The Euclidean norm (`ord` 2) or the sum of magnitudes (`ord` 1): exact, rounded once; nothing overflows on the way.

    Gradients are zero where the norm is.
    """
    _check_ord("vector_norm", ord)
    return _called(_vector_norm, x, ord == 1, _dims(dim), keepdim, dtype)


def dot(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The dot product of two vectors: exact products, whose exact sum is rounded once."""
    if x.dim() != 1 or y.dim() != 1:
        raise ValueError(f"foldline.torch.dot: two vectors, but the shapes are {tuple(x.shape)} and {tuple(y.shape)}")
    if x.dtype != y.dtype:
        raise TypeError(f"foldline.torch.dot: two vectors of one type, but they are {x.dtype} and {y.dtype}")
    return _called(_dot, x, y)


def cumsum(x: torch.Tensor, dim: int, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Sums of the elements up to each along a dimension: each is exact, rounded once."""
    return _called(_cumsum, x, dim, dtype)


def get_total_norm(tensors: Iterable[torch.Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False) -> torch.Tensor:
    """The norm of all elements of some tensors: exact, with one rounding for all of one device.

    If they are on several devices, it is the norm of these devices' norms, on the first one's. It is float32, or float64 if a tensor is. `norm_type` is
    1 or 2. A RuntimeError if `error_if_nonfinite` and it is infinite or NaN.
    """
    _check_ord("get_total_norm", norm_type)
    of_devices: dict[torch.device, list[torch.Tensor]] = {}
    for tensor in tensors:
        of_devices.setdefault(tensor.device, []).append(tensor)
    if not of_devices:
        return torch.tensor(0.0)
    norms = [_total_norm(some, norm_type == 1) for some in of_devices.values()]
    total = norms[0]
    if len(norms) > 1:
        total = vector_norm(torch.stack([norm.to(total.device) for norm in norms]), norm_type)
    if error_if_nonfinite and not torch.isfinite(total):
        raise RuntimeError(f"foldline.torch: the total norm of order {norm_type} is {total.item()}, so gradients cannot be clipped by it; "
                           "error_if_nonfinite=False scales them all the same")
    return total


def clip_grad_norm_(parameters: torch.Tensor | Iterable[torch.Tensor], max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False) -> torch.Tensor:
    """Scale the gradients of some parameters so that their total norm is at most `max_norm`; returns the norm that it was.

    As ``torch.nn.utils.clip_grad_norm_``, with the norm of `get_total_norm`: the same bits in every run, however the parameters are ordered and cut.
    """
    of = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    gradients = [p.grad for p in of if p.grad is not None]
    with torch.no_grad():
        total = get_total_norm(gradients, norm_type, error_if_nonfinite)
        scale = torch.clamp(max_norm / (total + 1e-6), max=1.0)
        for gradient in gradients:
            gradient.mul_(scale.to(gradient.device))
    return total


def _check_ord(name: str, ord: float) -> None:
    if ord not in (1, 2):
        raise ValueError(f"foldline.torch.{name}: norms of order 1 and 2 are exact, not {ord}; PyTorch has others")


def _dims(dim: _Dims) -> list[int] | None:
    """PyTorch takes no dimensions as all."""
    if dim is None:
        return None
    dims = [dim] if isinstance(dim, int) else list(dim)
    return dims or None


def _axis(dim: list[int] | None) -> tuple[int, ...] | None:
    return None if dim is None else tuple(dim)


def _from_front(dim: int, dimensions: int) -> int:
    """A dimension counted from 0, of a tensor that has so many; of a number, 0."""
    some = max(dimensions, 1)
    if not -some <= dim < some:
        raise IndexError(f"foldline.torch: dimension {dim} is out of range; there are {dimensions}")
    return dim % some


def _reduced_shape(shape: torch.Size, dim: list[int] | None, keepdim: bool) -> list[int]:
    reduced = range(len(shape)) if dim is None else [_from_front(d, len(shape)) for d in dim]
    return [1 if d in reduced else n for d, n in enumerate(shape) if keepdim or d not in reduced]


def _count(x: torch.Tensor, dim: list[int] | None) -> int:
    count = 1
    for d in range(x.dim()) if dim is None else dim:
        count *= x.shape[d]
    return count


def _sum_type(dtype: torch.dtype) -> torch.dtype:
    if dtype.is_floating_point:
        return dtype
    return torch.int64 if dtype.is_signed or dtype == torch.bool else torch.uint64


def _mean_type(dtype: torch.dtype) -> torch.dtype:
    return dtype if dtype.is_floating_point else torch.float64


@torch.library.custom_op("foldline::sum", mutates_args=(), schema="(Tensor x, int[]? dim, bool keepdim, ScalarType? dtype) -> Tensor")
def _sum(x: torch.Tensor, dim: list[int] | None, keepdim: bool, dtype: torch.dtype | None) -> torch.Tensor:
    return _core.sum(x.detach(), axis=_axis(dim), dtype=dtype, keepdims=keepdim)


@_sum.register_fake
def _(x, dim, keepdim, dtype):
    return x.new_empty(_reduced_shape(x.shape, dim, keepdim), dtype=dtype or _sum_type(x.dtype))


@torch.library.custom_op("foldline::mean", mutates_args=(), schema="(Tensor x, int[]? dim, bool keepdim, ScalarType? dtype) -> Tensor")
def _mean(x: torch.Tensor, dim: list[int] | None, keepdim: bool, dtype: torch.dtype | None) -> torch.Tensor:
    return _core.mean(x.detach(), axis=_axis(dim), dtype=dtype, keepdims=keepdim)


@_mean.register_fake
def _(x, dim, keepdim, dtype):
    return x.new_empty(_reduced_shape(x.shape, dim, keepdim), dtype=dtype or _mean_type(x.dtype))


@torch.library.custom_op("foldline::var", mutates_args=(), schema="(Tensor x, int[]? dim, int correction, bool keepdim) -> Tensor")
def _var(x: torch.Tensor, dim: list[int] | None, correction: int, keepdim: bool) -> torch.Tensor:
    return _core.var(x.detach(), axis=_axis(dim), correction=correction, keepdims=keepdim)


@_var.register_fake
def _(x, dim, correction, keepdim):
    return x.new_empty(_reduced_shape(x.shape, dim, keepdim), dtype=_mean_type(x.dtype))


@torch.library.custom_op("foldline::vector_norm", mutates_args=(), schema="(Tensor x, bool is_one, int[]? dim, bool keepdim, ScalarType? dtype) -> Tensor")
def _vector_norm(x: torch.Tensor, is_one: bool, dim: list[int] | None, keepdim: bool, dtype: torch.dtype | None) -> torch.Tensor:
    return _core.vector_norm(x.detach(), ord=1 if is_one else 2, axis=_axis(dim), dtype=dtype, keepdims=keepdim)


@_vector_norm.register_fake
def _(x, is_one, dim, keepdim, dtype):
    return x.new_empty(_reduced_shape(x.shape, dim, keepdim), dtype=dtype or _mean_type(x.dtype))


@torch.library.custom_op("foldline::dot", mutates_args=(), schema="(Tensor x, Tensor y) -> Tensor")
def _dot(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Of the last dimension; the others are those of batches."""
    return _core.vecdot(x.detach(), y.detach())


@_dot.register_fake
def _(x, y):
    return x.new_empty(x.shape[:-1], dtype=_sum_type(x.dtype))


@torch.library.custom_op("foldline::cumsum", mutates_args=(), schema="(Tensor x, int dim, ScalarType? dtype) -> Tensor")
def _cumsum(x: torch.Tensor, dim: int, dtype: torch.dtype | None) -> torch.Tensor:
    return _core.cumsum(x.detach(), axis=dim, dtype=dtype) if x.dim() else _core.sum(x.detach(), dtype=dtype)


@_cumsum.register_fake
def _(x, dim, dtype):
    return x.new_empty(x.shape, dtype=dtype or _sum_type(x.dtype))


# Elements that are copied side by side on a GPU to be added up in one call that does not wait; more are added where they lie, waiting.
_MOST_COPIED = 1 << 26


@torch.library.custom_op("foldline::total_norm", mutates_args=(), schema="(Tensor[] tensors, bool is_one) -> Tensor")
def _total_norm(tensors: list[torch.Tensor], is_one: bool) -> torch.Tensor:
    dtype = torch.float64 if any(t.dtype == torch.float64 for t in tensors) else torch.float32
    some = [t.detach() for t in tensors]
    device = some[0].device
    if device.type == "cuda" and math.fsum(t.numel() for t in some) <= _MOST_COPIED:
        return _core.vector_norm(torch.cat([t.reshape(-1) for t in some]), ord=1 if is_one else 2, dtype=dtype)
    accumulator = _core.Accumulator("abs_sum" if is_one else "two_norm")
    for t in some:
        accumulator.add(t)
    return torch.tensor(accumulator.result(dtype=dtype).item(), dtype=dtype, device=device)


@_total_norm.register_fake
def _(tensors, is_one):
    dtype = torch.float64 if any(t.dtype == torch.float64 for t in tensors) else torch.float32
    return tensors[0].new_empty([], dtype=dtype)


# Gradients.

def _keep_shape(ctx, inputs, output):
    x, ctx.dim, ctx.keepdim = inputs[:3]
    ctx.shape, ctx.dtype, ctx.count = x.shape, x.dtype, _count(x, ctx.dim)


def _spread(ctx, gradient):
    """The gradient of each result for all elements that it is made of."""
    return gradient.reshape(_reduced_shape(ctx.shape, ctx.dim, True)).expand(ctx.shape).to(ctx.dtype)


def _sum_backward(ctx, gradient):
    return _spread(ctx, gradient), None, None, None


def _mean_backward(ctx, gradient):
    return _spread(ctx, gradient / ctx.count), None, None, None


def _keep_var(ctx, inputs, output):
    x, ctx.dim, ctx.correction, ctx.keepdim = inputs
    ctx.save_for_backward(x)


def _var_backward(ctx, gradient):
    (x,) = ctx.saved_tensors
    divisor = _count(x, ctx.dim) - ctx.correction
    gradient = gradient.reshape(_reduced_shape(x.shape, ctx.dim, True))
    return gradient * ((x - mean(x, ctx.dim, True)) * (2 / divisor if divisor > 0 else math.nan)), None, None, None


def _keep_norm(ctx, inputs, output):
    x, ctx.is_one, ctx.dim, _, _ = inputs
    ctx.save_for_backward(x, output)


def _norm_backward(ctx, gradient):
    x, norm = ctx.saved_tensors
    shape = _reduced_shape(x.shape, ctx.dim, True)
    gradient, norm = gradient.reshape(shape), norm.reshape(shape)
    of_x = gradient * x.sign() if ctx.is_one else torch.where(norm == 0, 0, gradient * (x / norm))
    return of_x.to(x.dtype), None, None, None, None


def _keep_both(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _dot_backward(ctx, gradient):
    x, y = ctx.saved_tensors
    return gradient.unsqueeze(-1) * y, gradient.unsqueeze(-1) * x


def _keep_dim(ctx, inputs, output):
    x, ctx.dim, _ = inputs
    ctx.dtype = x.dtype


def _cumsum_backward(ctx, gradient):
    if gradient.dim() == 0:
        return gradient.to(ctx.dtype), None, None
    return cumsum(gradient.flip(ctx.dim), ctx.dim).flip(ctx.dim).to(ctx.dtype), None, None


_GRADIENTS = ((_sum, _sum_backward, _keep_shape), (_mean, _mean_backward, _keep_shape), (_var, _var_backward, _keep_var),
              (_vector_norm, _norm_backward, _keep_norm), (_dot, _dot_backward, _keep_both), (_cumsum, _cumsum_backward, _keep_dim))


def _function(operator: Any, of_results: Any, keep: Any) -> Any:
    """The operator for torch.func.grad and its kind, which take the gradients of a Function but not those of an operator."""

    class Function(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(*inputs):
            return operator(*inputs)

        setup_context = staticmethod(keep)
        backward = staticmethod(of_results)

    return Function.apply


_FUNCTIONS = {}
for _operator, _backward, _keep in _GRADIENTS:
    _operator.register_autograd(_backward, setup_context=_keep)
    _FUNCTIONS[_operator] = _function(_operator, _backward, _keep)


def _called(operator: Any, *arguments: Any) -> torch.Tensor:
    if not torch.compiler.is_compiling() and torch._C._functorch.peek_interpreter_stack() is not None:
        operator = _FUNCTIONS[operator]
    result: torch.Tensor = operator(*arguments)
    return result


# torch.func.vmap: the batch becomes the first dimension, which is kept.

def _batched(operator, place_of_dim):
    def with_batch(info, in_dims, x, *arguments):
        x = x.movedim(in_dims[0], 0)
        arguments = list(arguments)
        dim = arguments[place_of_dim]
        of_one = x.dim() - 1
        arguments[place_of_dim] = [_from_front(d, of_one) + 1 for d in (range(of_one) if dim is None else dim)]
        if not of_one:  # numbers: each is its own sum
            x, arguments[place_of_dim] = x.unsqueeze(1), [1]
        return operator(x, *arguments), 0

    operator.register_vmap(with_batch)


for _operator, _place in ((_sum, 0), (_mean, 0), (_var, 0), (_vector_norm, 1)):
    _batched(_operator, _place)


def _cumsum_of_batch(info, in_dims, x, dim, dtype):
    x = x.movedim(in_dims[0], 0)
    if x.dim() == 1:  # numbers: each is its own sum
        return _cumsum(x.unsqueeze(1), 1, dtype).squeeze(1), 0
    return _cumsum(x, _from_front(dim, x.dim() - 1) + 1, dtype), 0


def _dot_of_batch(info, in_dims, x, y):
    batched = [v.movedim(d, 0) if d is not None else v.expand(info.batch_size, *v.shape) for v, d in zip((x, y), in_dims)]
    return _dot(*batched), 0


_cumsum.register_vmap(_cumsum_of_batch)
_dot.register_vmap(_dot_of_batch)
