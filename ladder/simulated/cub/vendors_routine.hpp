// CUB's device-wide routines, as far as rungs call them: they are not here.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "runner/problem.hpp"

namespace cub {

[[noreturn]] inline void not_here() {
  throw foldline::ladder::Unsupported("the vendor's routine, which needs a GPU");
}

struct DeviceReduce {
  template <class In, class Out, class Size>
  static cudaError_t Sum(void*, std::size_t&, In, Out, Size) {
    not_here();
  }
};

struct DeviceScan {
  template <class In, class Out, class Size>
  static cudaError_t InclusiveSum(void*, std::size_t&, In, Out, Size) {
    not_here();
  }
};

}  // namespace cub
