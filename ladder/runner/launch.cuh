// The one way in which the ladder starts kernels. In place of <<<>>>, so that no launch goes unchecked, and
// that a simulator can start the same kernels without a GPU. Few includes: every rung is compiled with this.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace foldline::ladder {

/// Blocks of `block` threads that cover n elements; none for none.
inline std::int64_t blocks_for(std::int64_t n, std::int64_t block) { return n / block + (n % block != 0); }

/// Streaming multiprocessors of the GPU.
int multiprocessors();

/// What launch does with the addresses of the arguments.
void start_kernel(const void* kernel, std::int64_t grid, dim3 block, std::size_t shared_bytes,
                  void** arguments);

/// Queues a kernel on the default stream. A grid of 0 blocks is no work, not an error. Throws if the launch
/// fails: a block of too many threads, for example, which otherwise does nothing in silence.
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
