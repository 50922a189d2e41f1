#include <algorithm>

#include "read_kernels.hpp"

namespace foldline::bench::cuda {
namespace {

__device__ int folded(int4 value) { return value.x ^ value.y ^ value.z ^ value.w; }

/// `loads` loads of 16 bytes, all on their way before one is used, by neighbouring threads of a block of
/// neighbouring addresses.
template <int loads>
__device__ int read_tile(const int4* data, std::int64_t first, std::int64_t count) {
  int4 loaded[loads];
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const std::int64_t i = first + k * static_cast<std::int64_t>(blockDim.x);
    loaded[k] = i < count ? __ldcs(data + i) : int4{};
  }
  int bits = 0;
#pragma unroll
  for (int k = 0; k < loads; ++k) bits ^= folded(loaded[k]);
  return bits;
}

/// A tile per block.
template <int loads>
__global__ void read_once(const int4* data, std::int64_t count, int* sink) {
  const int bits =
      read_tile<loads>(data, std::int64_t{blockIdx.x} * (blockDim.x * loads) + threadIdx.x, count);
  if (bits == 0x5eed5eed) *sink = bits;  // practically never, but the compiler must load
}

/// As many blocks as run at once, each with many tiles.
template <int loads>
__global__ void read_on_and_on(const int4* data, std::int64_t count, int* sink) {
  const std::int64_t tile = blockDim.x * loads, step = tile * gridDim.x;
  int bits = 0;
  for (std::int64_t first = tile * blockIdx.x; first < count; first += step)
    bits ^= read_tile<loads>(data, first + threadIdx.x, count);
  if (bits == 0x5eed5eed) *sink = bits;
}

template <int loads, int block>
cudaError_t queue_once(const void* data, std::int64_t bytes, int* sink, cudaStream_t stream) {
  const std::int64_t count = bytes / 16, tile = std::int64_t{block} * loads;
  const auto blocks = static_cast<unsigned>(std::max<std::int64_t>(1, (count + tile - 1) / tile));
  read_once<loads><<<blocks, block, 0, stream>>>(static_cast<const int4*>(data), count, sink);
  return cudaGetLastError();
}

template <int loads, int block>
cudaError_t queue_on_and_on(const void* data, std::int64_t bytes, int* sink, cudaStream_t stream) {
  int device = 0, multiprocessors = 0, resident = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device))
    return error;
  if (const cudaError_t error =
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, read_on_and_on<loads>, block, 0))
    return error;
  const std::int64_t count = bytes / 16, tile = std::int64_t{block} * loads;
  const std::int64_t tiles = std::max<std::int64_t>(1, (count + tile - 1) / tile);
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, multiprocessors * resident));
  read_on_and_on<loads><<<blocks, block, 0, stream>>>(static_cast<const int4*>(data), count, sink);
  return cudaGetLastError();
}

}  // namespace

std::vector<ReadKernel> read_kernels() {
  return {{"read 1 x 512", queue_once<1, 512>},
          {"read 2 x 512", queue_once<2, 512>},
          {"read 4 x 256", queue_once<4, 256>},
          {"read 4 x 512", queue_once<4, 512>},
          {"read 8 x 256", queue_once<8, 256>},
          {"read 8 x 512", queue_once<8, 512>},
          {"read on and on 4 x 256", queue_on_and_on<4, 256>},
          {"read on and on 4 x 1024", queue_on_and_on<4, 1024>},
          {"read on and on 8 x 512", queue_on_and_on<8, 512>}};
}

}  // namespace foldline::bench::cuda
