// Reductions of columns of few integers: a thread has some neighbouring columns, and all rows of them.
#pragma once

#include "cuda/axis/interleaved_kernel.cuh"

namespace foldline::cuda {

/// Stores the results of neighbouring columns, at once where they lie side by side.
template <class Sums, int Columns>
__device__ __forceinline__ bool store_side_by_side(const AxisTask& task, const InterleavedPosition& position,
                                                   const Sums (&sums)[Columns]) {
  std::byte* const out = task.out + position.offset(task, true);
  const std::int64_t stride = task.axes[task.axis_count - 1].out_stride;
  const BoundedTask bounded = bounded_task(task);
  std::uint64_t bits[Columns];
  unsigned certain = 0;
#pragma unroll
  for (int c = 0; c < Columns; ++c)
    certain |= unsigned{integer_result(task, bounded, task.length, sums[c], bits[c])} << c;
  constexpr unsigned all = (1u << Columns) - 1;
  const unsigned exist = (1u << position.columns) - 1;
  const auto places = static_cast<std::uintptr_t>(min(Columns * task.out_bytes, 16));  // a power of two
  if ((certain & exist) == all && stride == task.out_bytes &&
      (reinterpret_cast<std::uintptr_t>(out) & (places - 1)) == 0) {
    if (task.out_bytes == 8) {
#pragma unroll
      for (int c = 0; c < Columns; c += 2)
        *reinterpret_cast<ulonglong2*>(out + c * 8) = make_ulonglong2(bits[c], bits[c + 1]);
      return true;
    }
    if constexpr (Columns == 4) {
      const auto word = [&](int c) { return static_cast<unsigned>(bits[c]); };
      if (task.out_bytes == 4)
        *reinterpret_cast<uint4*>(out) = make_uint4(word(0), word(1), word(2), word(3));
      else if (task.out_bytes == 2)
        *reinterpret_cast<uint2*>(out) =
            make_uint2(__byte_perm(word(0), word(1), 0x5410), __byte_perm(word(2), word(3), 0x5410));
      else
        *reinterpret_cast<unsigned*>(out) =
            __byte_perm(__byte_perm(word(0), word(1), 0x0040), __byte_perm(word(2), word(3), 0x0040), 0x5410);
      return true;
    }
  }
#pragma unroll
  for (int c = 0; c < Columns; ++c)
    if ((certain & exist) >> c & 1) store_bits(out + c * stride, bits[c], task.out_bytes);
  return (certain & exist) == exist;
}

template <class Sums, int Rows>
__global__ void __launch_bounds__(direct_threads, Rows <= 8 ? 4 : 2)
    few_integers_kernel(const __grid_constant__ AxisTask task) {
  using T = typename Sums::Element;
  using Row = ColumnRow<T>;
  constexpr int columns = Row::size, row_bytes = sizeof(Row);
  wait_for_previous_launch();
  allow_dependent_launch();
  const WholeColumns own(task, columns, row_bytes);
  const InterleavedPosition& position = own.position;
  if (position.columns == 0) return;
  const std::byte* const x = own.x;
  const Row nothing = Row::of_all(filling<Sums>(task, {}));
  Row rows[Rows];
#pragma unroll
  for (Row& row : rows) row = nothing;
  if (own.at_once) {
#pragma unroll
    for (int i = 0; i < Rows; ++i)
      if (i < task.length) rows[i] = Row::take(x + i * task.stride);
  } else if (sizeof(T) <= 2 && has_whole_words(task, x, x + (task.length - 1) * task.stride, row_bytes)) {
    take_words<Rows>(rows, x, task.stride, task.length);
#pragma unroll
    for (int i = 0; i < Rows; ++i)
      if (i >= task.length) rows[i] = nothing;
  } else {
#pragma unroll
    for (int i = 0; i < Rows; ++i)
      if (i < task.length) rows[i] = Row::take_some(x + i * task.stride, position.columns);
  }
  if constexpr (Sums::takes_first)
#pragma unroll
    for (int i = 1; i < Rows; ++i)
      if (i >= task.length) rows[i] = rows[0];
  Sums sums[columns];
  add_columns(sums, rows, shift_of<Sums>(task, {}));
  if (!store_side_by_side(task, position, sums)) retry(task, position.first);
}

}  // namespace foldline::cuda
