// The work of a block that computes a level: the pairs of slices whose products it sums, one after another as
// if they were one longer product.
#pragma once

#include <cstdint>

#include "cuda/device/async_copy.cuh"
#include "cuda/product/byte_slices.hpp"

namespace foldline::cuda {

struct SliceTask {
  const std::int8_t *a, *b;
  std::int64_t a_pitch, b_pitch;  // between slices
  std::int64_t terms;
  int a_slices, b_slices, end;  // the levels are end - 1, end - 2, ...

  /// The block's level. Levels with most pairs come first, so that short ones balance the end.
  __device__ int level() const { return end - 1 - static_cast<int>(blockIdx.z); }
};

/// The source of a thread's copies for the next stage: an address in A and one in B.
struct SlicePairs {
  const std::int8_t *a, *b;

  __device__ SlicePairs(const SliceTask& task, std::int64_t row, std::int64_t column, int line, int offset,
                        int terms_of_stage)
      : terms_of_stage_(terms_of_stage),
        stages_of_pair_(static_cast<int>(task.terms / terms_of_stage)),
        left_of_pair_(stages_of_pair_) {
    const int level = task.level();
    const int first = max(0, level - task.b_slices + 1), last = min(level, task.a_slices - 1);
    left_ = steps_ = std::int64_t{max(0, last - first + 1)} * stages_of_pair_;
    a = task.a + first * task.a_pitch + (row + line) * task.terms + offset;
    b = task.b + (level - first) * task.b_pitch + (column + line) * task.terms + offset;
    to_next_a_ = task.a_pitch - task.terms;
    to_next_b_ = -task.b_pitch - task.terms;
  }

  /// Stages of all pairs.
  __device__ std::int64_t steps() const { return steps_; }
  __device__ bool has_more() const { return left_ > 0; }
  __device__ void advance() {
    --left_;
    a += terms_of_stage_;
    b += terms_of_stage_;
    if (--left_of_pair_ > 0) return;
    left_of_pair_ = stages_of_pair_;
    a += to_next_a_;
    b += to_next_b_;
  }

 private:
  int terms_of_stage_, stages_of_pair_, left_of_pair_;
  std::int64_t steps_, left_, to_next_a_, to_next_b_;
};

__device__ __forceinline__ void store_two(std::int32_t* to, int first, int second) {
  *reinterpret_cast<int2*>(to) = {first, second};
}

/// multiply_slices with wgmma; returns false and does nothing where that is not supported.
bool multiply_slices_by_groups(const SliceTask& task, int levels, const Levels<std::int32_t>& sums,
                               cudaStream_t stream);

}  // namespace foldline::cuda
