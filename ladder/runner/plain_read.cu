#include "runner/plain_read.hpp"

#include "runner/launch.cuh"

namespace foldline::ladder {
namespace {

constexpr int block = 512, loads = 4;

/// A thread issues all its loads of 16 bytes before it uses one. Even blocks read one array, odd ones the
/// other.
__global__ void read_only(const int4* first_array, const int4* second_array, std::int64_t count, int* sink) {
  const bool two = second_array != nullptr;
  const int4* const data = two && blockIdx.x % 2 == 1 ? second_array : first_array;
  const std::int64_t first = std::int64_t{two ? blockIdx.x / 2 : blockIdx.x} * (block * loads) + threadIdx.x;
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

void read_memory(const void* first, const void* second, std::int64_t bytes, int* sink) {
  const std::int64_t count = bytes / 16, blocks = blocks_for(count, block * loads);
  launch(read_only, second == nullptr ? blocks : 2 * blocks, block, 0, static_cast<const int4*>(first),
         static_cast<const int4*>(second), count, sink);
}

}  // namespace foldline::ladder
