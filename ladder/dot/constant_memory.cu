// Idea: both vectors are in constant memory, filled by cudaMemcpyToSymbol before timing starts.
// Fixes: nothing: constant memory is made for warps whose lanes all read the same word. Here each lane reads
// another word, and the reads are serialised.
// Limit: the size of constant memory, 64 KiB for both vectors, and this serialisation.
#include "common/block_sum.cuh"
#include "common/grid.cuh"
#include "dot/bench.hpp"
#include "runner/errors.hpp"

namespace foldline::ladder::dot {
namespace {

constexpr int constant_bytes = 65536;
__constant__ double constant[constant_bytes / sizeof(double)];

template <class T>
__global__ void dot_of_constants(int n, T* partials) {
  const T* const x = reinterpret_cast<const T*>(constant);
  const T* const y = x + n;
  T sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i] * y[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

}  // namespace

template <class T>
void constant_memory(Bench<T>& bench) {
  const std::int64_t n = bench.n(), max_elements = constant_bytes / 2 / sizeof(T);
  if (n > max_elements)
    unsupported("constant memory has 65536 bytes; elements of each vector that fit:", max_elements);
  const std::size_t bytes = n * sizeof(T);
  static bool filled = false;  // a rung has a process of its own
  if (!filled) {
    check(cudaMemcpyToSymbol(constant, bench.x(), bytes, 0, cudaMemcpyDeviceToDevice),
          "filling constant memory");
    check(cudaMemcpyToSymbol(constant, bench.y(), bytes, bytes, cudaMemcpyDeviceToDevice),
          "filling constant memory");
    filled = true;
  }
  const std::int64_t blocks = resident_blocks(n, bench.block());
  launch(dot_of_constants<T>, blocks, bench.block(), 0, static_cast<int>(n), bench.partials(blocks, 20));
}

template void constant_memory(Bench<float>&);
template void constant_memory(Bench<double>&);

}  // namespace foldline::ladder::dot
