// The only way in which the ladder launches kernels. It replaces <<<>>>, so that every launch is checked and
// a simulator can run the same kernels without a GPU. Few includes, because every rung includes this.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace foldline::ladder {

/// Blocks of `block` threads that cover n elements; 0 for none.
inline std::int64_t blocks_for(std::int64_t n, std::int64_t block) { return n / block + (n % block != 0); }

/// The number of multiprocessors of the GPU.
int multiprocessors();

/// Launches with the addresses of the arguments.
void start_kernel(const void* kernel, std::int64_t grid, dim3 block, std::size_t shared_bytes,
                  void** arguments);

/// Queues a kernel on the default stream. A grid of 0 blocks is no work, not an error. Throws if the launch
/// fails, for example for a block of too many threads, which would otherwise fail silently.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::int64_t grid, dim3 block, std::size_t shared_bytes,
            Arguments... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments));
  const auto start = [&](Parameters... parameters) {
    void* addresses[] = {const_cast<void*>(static_cast<const void*>(&parameters))...};
    start_kernel(reinterpret_cast<const void*>(kernel), grid, block, shared_bytes, addresses);
  };
  start(arguments...);
}

}  // namespace foldline::ladder
