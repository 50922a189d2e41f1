// Idea: the memory bandwidth: a copy by the runtime, which reads and writes as many bytes as a scan.
// Fixes: not a rung.
// Limit: memory bandwidth.
#include "runner/errors.hpp"
#include "scan/bench.hpp"

namespace foldline::ladder::scan {

void plain_copy(Bench& bench) {
  check(cudaMemcpyAsync(bench.out(), bench.x(), static_cast<std::size_t>(bench.n()) * sizeof(int),
                        cudaMemcpyDeviceToDevice),
        "copying");
}

}  // namespace foldline::ladder::scan
