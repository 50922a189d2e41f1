// What kernels share whose threads have plain sums of neighbouring columns.
#pragma once

#include "cuda/axis/interleaved_kernel.cuh"

namespace foldline::cuda {

/// Stores the results of neighbouring columns of which bit c of `certain` is set, at once where they lie
/// side by side.
template <int Columns, class Bits>
__device__ __forceinline__ void store_results(const AxisTask& task, const Bits (&bits)[Columns],
                                              unsigned certain, std::byte* out) {
  const std::int64_t stride = task.axes[task.axis_count - 1].out_stride;
  const bool side_by_side = certain == (1u << Columns) - 1 && stride == task.out_bytes &&
                            reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
  if (side_by_side && Columns * task.out_bytes == 16) {
    unsigned word[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (Columns == 8)
        word[i] = static_cast<unsigned>(bits[2 * i] | bits[2 * i + 1] << 16);
      else if constexpr (Columns == 4)
        word[i] = static_cast<unsigned>(bits[i]);
      else
        word[i] = static_cast<unsigned>(bits[i / 2] >> (32 * (i % 2)));
    }
    *reinterpret_cast<uint4*>(out) = make_uint4(word[0], word[1], word[2], word[3]);
    return;
  }
  if constexpr (Columns == 8)
    if (side_by_side && task.out_bytes == 4) {
      reinterpret_cast<uint4*>(out)[0] = make_uint4(bits[0], bits[1], bits[2], bits[3]);
      reinterpret_cast<uint4*>(out)[1] = make_uint4(bits[4], bits[5], bits[6], bits[7]);
      return;
    }
#pragma unroll
  for (int c = 0; c < Columns; ++c)
    if ((certain >> c & 1) != 0) store_bits(out + c * stride, bits[c], task.out_bytes);
}

/// The results of columns that plain sums tell, see PlainSums; bit c is set for the c-th. sums_of(c) makes
/// them, and exactness_of() whether they are exact.
template <class Out, bool IsSecond, int Columns, class SumsOf, class ExactnessOf>
__device__ __forceinline__ unsigned plain_results(const BoundedTask& task, unsigned (&bits)[Columns],
                                                  const SumsOf& sums_of, const ExactnessOf& exactness_of) {
  using Sums = decltype(sums_of(0));
  constexpr unsigned all = (1u << Columns) - 1;
  unsigned certain = 0, if_exact = 0;
#pragma unroll
  for (int c = 0; c < Columns; ++c) {
    const Told told = sums_of(c).template result<Out, IsSecond>(task, bits[c]);
    certain |= unsigned{told.is_certain} << c;
    if_exact |= unsigned{told.if_exact} << c;
  }
  if (if_exact != all)
#pragma unroll
    for (int c = 0; c < Columns; ++c)
      if ((if_exact >> c & 1) == 0 && Sums::template special_result<Out>(task, bits[c])) certain |= 1u << c;
  if ((if_exact & ~certain) != 0) {
    const Exactness exactness = Sums::is_always_exact ? Exactness{true, 0} : exactness_of();
    if (exactness.is_exact)
      certain |= if_exact;
    else if constexpr (Sums::must_be_exact)
#pragma unroll
      for (int c = 0; c < Columns; ++c)
        if ((if_exact >> c & 1) != 0 && sums_of(c).template is_clear<Out, IsSecond>(task, exactness.top))
          certain |= 1u << c;
  }
  return certain;
}

/// Stores the results of the columns in `all` by plain sums, see plain_results, and those that these do not
/// tell by two doubles. False if some are left.
template <class Sums, int Columns, class SumsOf, class ExactnessOf>
__device__ __forceinline__ bool store_plain_columns(const AxisTask& task, unsigned all, const std::byte* x,
                                                    std::byte* out, const SumsOf& sums_of,
                                                    const ExactnessOf& exactness_of) {
  using T = typename Sums::Element;
  unsigned certain = 0;
  const BoundedTask bounded = bounded_task(task);
  with_plain_result<T, Sums::terms>(bounded, [&]<class Out, bool IsSecond>() {
    unsigned bits[Columns];
    certain = all & plain_results<Out, IsSecond>(bounded, bits, sums_of, exactness_of);
    store_results(task, bits, certain, out);
  });
  const std::int64_t out_stride = task.axes[task.axis_count - 1].out_stride;
  bool are_certain = true;
#pragma unroll 1
  for (unsigned left = all & ~certain; left != 0; left &= left - 1) {
    const int c = __ffs(static_cast<int>(left)) - 1;
    const VectorElements<std::int64_t> column{x + c * static_cast<int>(sizeof(T)), task.stride, task.length,
                                              0};
    are_certain &= store_if_certain(task, sums_of_elements<Sums>(task, column, bits_of_element<T>(column.x)),
                                    out + c * out_stride);
  }
  return are_certain;
}

}  // namespace foldline::cuda
