// Idea: the same 256 bytes through two textures, one for each mode of reading: as the numbers that they are,
// and as floats from 0 to 1.
// Fixes: not a rung: it shows what the second mode is for. Bytes of an image take a quarter of the memory
// that floats take, and the texture unit divides them by 255 on the way, without an instruction.
// Limit: elements of 8 or 16 bits only; ints, floats and doubles can be read as they are only.
#include "memory/bench.hpp"
#include "runner/launch.cuh"
#include "runner/texture.cuh"

namespace foldline::ladder::memory {
namespace {

constexpr int bytes = 256;

__global__ void number_bytes(unsigned char* elements) {
  elements[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
}

/// Results i and 256 + i: what is read at i, and 255 times that where it is normalised; -1 if that is no
/// whole number.
__global__ void read_in_both_modes(cudaTextureObject_t plain, cudaTextureObject_t normalised, int* results) {
  const int i = threadIdx.x;
  results[i] = tex1Dfetch<unsigned char>(plain, i);
  const float times_255 = 255 * tex1Dfetch<float>(normalised, i);
  const int nearest = __float2int_rn(times_255);
  results[bytes + i] = fabsf(times_255 - nearest) < 1e-3f ? nearest : -1;
}

}  // namespace

void texture_read_modes(Bench& bench) {
  unsigned char* const elements = static_cast<unsigned char*>(bench.scratch(bytes));
  static cudaTextureObject_t plain = 0, normalised = 0;  // a rung has a process of its own
  if (plain == 0) {
    launch(number_bytes, 1, bytes, 0, elements);
    plain = texture_of_linear_memory(elements, bytes);
    normalised = texture_of_linear_memory(elements, bytes, cudaReadModeNormalizedFloat);
  }
  launch(read_in_both_modes, 1, bytes, 0, plain, normalised, bench.results(std::int64_t{2} * bytes));
}

}  // namespace foldline::ladder::memory
