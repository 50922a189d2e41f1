// Launches of scans in the simulator.
#pragma once

#include <simt/simt.hpp>

namespace foldline::cuda {

template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), int blocks, int threads, cudaStream_t stream,
                   const Arguments&... arguments) {
  simt::launch(kernel, blocks, threads, 0, stream, arguments...);
}

}  // namespace foldline::cuda
