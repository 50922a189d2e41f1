// The only way in which the ladder launches kernels. It replaces <<<>>>, so that every launch is checked and
// a simulator can run the same kernels without a GPU. Few includes, because every rung includes this.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "runner/errors.hpp"

namespace foldline::ladder {

/// Blocks of `block` threads that cover n elements; 0 for none.
inline std::int64_t blocks_for(std::int64_t n, std::int64_t block) { return n / block + (n % block != 0); }

/// The number of multiprocessors of the GPU.
int multiprocessors();

/// Notes a launch for the table. False for a grid of no blocks. Throws if there are more than a launch takes.
bool note_launch(const void* kernel, std::int64_t grid, dim3 block, std::size_t shared_bytes);

/// Queues a kernel in a stream. A grid of 0 blocks is no work, not an error. Throws if the launch fails, for
/// example for a block of too many threads, which would otherwise fail silently.
template <class... Parameters, class... Arguments>
void launch_in(cudaStream_t stream, void (*kernel)(Parameters...), std::int64_t grid, dim3 block,
               std::size_t shared_bytes, Arguments... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments));
  if (!note_launch(reinterpret_cast<const void*>(kernel), grid, block, shared_bytes)) return;
  const auto start = [&](Parameters... parameters) {
    void* addresses[] = {const_cast<void*>(static_cast<const void*>(&parameters))...};
    check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(grid)), block, addresses, shared_bytes, stream),
          "starting a kernel");
  };
  start(arguments...);
}

/// The same in the default stream.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::int64_t grid, dim3 block, std::size_t shared_bytes,
            Arguments... arguments) {
  launch_in(nullptr, kernel, grid, block, shared_bytes, arguments...);
}

}  // namespace foldline::ladder
