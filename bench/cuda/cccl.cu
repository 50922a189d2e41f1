// Compiled once for each release of CCCL; FOLDLINE_BENCH_CCCL_NAME is the function that hands out its
// routines.
#include "cccl.hpp"

#include <thrust/execution_policy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/tuple.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>

namespace foldline::bench::cuda {
namespace {

struct Magnitude {
  template <class T>
  __host__ __device__ T operator()(T value) const {
    return value < 0 ? -value : value;
  }
};

struct Product {
  template <class Pair>
  __host__ __device__ auto operator()(const Pair& pair) const {
    return thrust::get<0>(pair) * thrust::get<1>(pair);
  }
};

template <class T>
cudaError_t sum(void* scratch, std::size_t& bytes, const T* x, T* result, int size, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(scratch, bytes, x, result, size, stream);
}

template <class T>
cudaError_t abs_sum(void* scratch, std::size_t& bytes, const T* x, T* result, int size, cudaStream_t stream) {
  return cub::DeviceReduce::TransformReduce(scratch, bytes, x, result, size, ::cuda::std::plus<>{},
                                            Magnitude{}, T{}, stream);
}

template <class T>
cudaError_t dot(void* scratch, std::size_t& bytes, const T* x, const T* y, T* result, int size,
                cudaStream_t stream) {
  return cub::DeviceReduce::TransformReduce(scratch, bytes, thrust::make_zip_iterator(x, y), result, size,
                                            ::cuda::std::plus<>{}, Product{}, T{}, stream);
}

template <class T>
cudaError_t inclusive_sum(void* scratch, std::size_t& bytes, const T* x, T* out, int size,
                          cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSum(scratch, bytes, x, out, size, stream);
}

/// Thrust's scratch memory: kept until the process ends. One request at a time.
struct KeptMemory {
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    static char* memory = nullptr;
    static std::ptrdiff_t size = 0;
    if (bytes > size) {
      cudaFree(memory);
      if (cudaMalloc(&memory, static_cast<std::size_t>(bytes)) != cudaSuccess) throw std::bad_alloc();
      size = bytes;
    }
    return memory;
  }
  void deallocate(char*, std::size_t) {}
};

template <class T>
T thrust_sum(const T* x, int size, cudaStream_t stream) {
  KeptMemory memory;
  return thrust::reduce(thrust::cuda::par(memory).on(stream), x, x + size, T{});
}

std::string release() {
  return std::to_string(CUB_MAJOR_VERSION) + '.' + std::to_string(CUB_MINOR_VERSION) + '.' +
         std::to_string(CUB_SUBMINOR_VERSION);
}

}  // namespace

template <Element T>
Cccl<T> FOLDLINE_BENCH_CCCL_NAME() {
  if constexpr (FloatingElement<T>)
    return {release(), sum<T>, abs_sum<T>, inclusive_sum<T>, dot<T>, thrust_sum<T>};
  else
    return {release(), nullptr, nullptr, inclusive_sum<T>, nullptr, nullptr};
}

template Cccl<double> FOLDLINE_BENCH_CCCL_NAME();
template Cccl<float> FOLDLINE_BENCH_CCCL_NAME();
template Cccl<std::int32_t> FOLDLINE_BENCH_CCCL_NAME();
template Cccl<std::int64_t> FOLDLINE_BENCH_CCCL_NAME();

}  // namespace foldline::bench::cuda
