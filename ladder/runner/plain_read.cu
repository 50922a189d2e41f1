#include "runner/plain_read.hpp"

#include "runner/launch.cuh"

namespace foldline::ladder {
namespace {

constexpr int block = 256, loads = 8;

/// A thread's loads, 16 bytes each, are all on their way before one is used.
__global__ void read_only(const int4* data, std::int64_t count, int* sink) {
  const std::int64_t first = std::int64_t{blockIdx.x} * (block * loads) + threadIdx.x;
  int4 loaded[loads];
#pragma unroll
  for (int k = 0; k < loads; ++k)
    loaded[k] = first + k * block < count ? __ldcs(data + first + k * block) : int4{};
  int bits = 0;
#pragma unroll
  for (int k = 0; k < loads; ++k) bits ^= loaded[k].x ^ loaded[k].y ^ loaded[k].z ^ loaded[k].w;
  if (bits == 0x5eed5eed) *sink = bits;  // hardly ever, but the compiler cannot know, so it must load
}

}  // namespace

void read_memory(const void* data, std::int64_t bytes, int* sink) {
  const std::int64_t count = bytes / 16;
  launch(read_only, blocks_for(count, block * loads), block, 0, static_cast<const int4*>(data), count, sink);
}

}  // namespace foldline::ladder
