// A tensor core step for doubles: adds products of 16 terms to 16 x 8 entries. One instruction from compute
// capability 9.0 on; eight smaller ones from 8.0 on.
#pragma once

#include <cuda_runtime_api.h>

#include "runner/errors.hpp"

namespace foldline::ladder::matmul {

/// Throws Unsupported if the kernel was compiled for GPUs without such tensor cores, or from code for them
/// (CMake's CUDA_ARCHITECTURES): the step below would then do nothing.
inline void need_tensor_cores(const void* kernel) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "asking about a kernel");
  if (attributes.ptxVersion < 80)
    unsupported("tensor cores take doubles from compute capability 80 (8.0) on; what runs here is for",
                attributes.ptxVersion);
}

#ifdef __CUDACC__

constexpr int step_rows = 16, step_columns = 8, step_depth = 16;

/// A lane's elements of the step's matrices. With g = lane / 4 and t = lane % 4:
struct PartOfA {
  double at[8];  ///< k: row g + 8 (k % 2), column t + 4 (k / 2)
};
struct PartOfB {
  double at[4];  ///< k: row t + 4 k, column g
};
struct PartOfC {
  double at[4];  ///< k: row g + 8 (k / 2), column 2 t + k % 2
};

/// C += A B. All lanes of the warp must call it.
__device__ inline void tensor_step(PartOfC& c, const PartOfA& a, const PartOfB& b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, "
      "%11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(c.at[0]), "+d"(c.at[1]), "+d"(c.at[2]), "+d"(c.at[3])
      : "d"(a.at[0]), "d"(a.at[1]), "d"(a.at[2]), "d"(a.at[3]), "d"(a.at[4]), "d"(a.at[5]), "d"(a.at[6]),
        "d"(a.at[7]), "d"(b.at[0]), "d"(b.at[1]), "d"(b.at[2]), "d"(b.at[3]));
#elif __CUDA_ARCH__ >= 800
#pragma unroll
  for (int k = 0; k < 4; ++k)  // four terms, eight rows
#pragma unroll
    for (int half = 0; half < 2; ++half)
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(c.at[2 * half]), "+d"(c.at[2 * half + 1])
          : "d"(a.at[2 * k + half]), "d"(b.at[k]));
#endif
}

#endif

}  // namespace foldline::ladder::matmul
