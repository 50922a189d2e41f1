// Launches of the kernels of this folder.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "foldline/types.hpp"
#include "nccl/mailbox.hpp"

namespace foldline::nccl {

/// Sums of slices that came from other ranks.
struct SumTask {
  const void* own[most_arrays];  // this rank's part of its arrays
  const std::byte* received;     // from rank r, its array v, at (r * arrays + v) * stride
  std::int64_t stride;           // in bytes
  int rank, size, arrays;
  void* out;
  std::int64_t count;
};
/// Terms that such a sum can have.
inline constexpr int most_terms_of_sum = 4096;

/// For the types float, double, half and bfloat16. `most` is a limit for the number of blocks, the same on
/// all ranks. `is_sent`: parts are written to the rank that adds them up, which does not read them.
template <class T>
void launch_over_peers(PeerTask task, int most, bool is_sent, cudaStream_t stream);
template <class T>
void launch_sum(const SumTask& task, cudaStream_t stream);
/// Loads the kernels for the current device: a first launch would wait for kernels that wait for it.
template <class T>
void load_kernels();

/// f(T{}) with the type that `type` stands for, which is a floating-point one.
template <class F>
void with_type(ElementType type, const F& f) {
  switch (type) {
    case ElementType::half:
      return f(half{});
    case ElementType::bfloat16:
      return f(bfloat16{});
    case ElementType::float32:
      return f(float{});
    default:
      return f(double{});
  }
}

}  // namespace foldline::nccl
