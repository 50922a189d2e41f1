#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_reduce.cuh>
#include <stdexcept>
#include <string>

#include "grid_cub.hpp"

namespace foldline::bench::cuda {
namespace {

/// Where row i begins.
struct Offset {
  std::int64_t columns;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * columns; }
};
struct Larger {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return b > a ? b : a;
  }
};
struct Plus {
  template <class A, class B>
  __host__ __device__ auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};

template <class T, class Result>
void queue(const SegmentedReduce& call, void* memory, std::size_t& bytes, cudaStream_t stream) {
  const auto offsets =
      thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), Offset{call.columns});
  const auto* const x = static_cast<const T*>(call.x);
  const cudaError_t error =
      call.is_sum
          ? cub::DeviceSegmentedReduce::Reduce(memory, bytes, x, static_cast<Result*>(call.out), call.rows,
                                               offsets, offsets + 1, Plus(), Result(0), stream)
          : cub::DeviceSegmentedReduce::Reduce(memory, bytes, x, static_cast<T*>(call.out), call.rows,
                                               offsets, offsets + 1, Larger(), T(0), stream);
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUB: ") + cudaGetErrorString(error));
}

}  // namespace

bool queue_segmented_reduce(const SegmentedReduce& call, void* memory, std::size_t& bytes,
                            cudaStream_t stream) {
  switch (call.type) {
    case ElementType::float64:
      queue<double, double>(call, memory, bytes, stream);
      return true;
    case ElementType::float32:
      queue<float, float>(call, memory, bytes, stream);
      return true;
    case ElementType::half:
      queue<__half, __half>(call, memory, bytes, stream);
      return true;
    case ElementType::bfloat16:
      queue<__nv_bfloat16, __nv_bfloat16>(call, memory, bytes, stream);
      return true;
    case ElementType::int32:
      queue<std::int32_t, std::int64_t>(call, memory, bytes, stream);
      return true;
    case ElementType::int8:
      queue<std::int8_t, std::int64_t>(call, memory, bytes, stream);
      return true;
    default:
      return false;
  }
}

}  // namespace foldline::bench::cuda
