// foldline-ladder-cuda: runs kernels on a GPU.
#include "runner/backend.hpp"

#include <stdexcept>

#include "runner/cuda/gpu.hpp"
#include "runner/device.hpp"
#include "runner/print_times.hpp"

namespace foldline::ladder {

void hand_over(const Options&, char**) {}

bool simulates() { return false; }

nlohmann::ordered_json prepare(const Problem& problem, Options& options) {
  if (!options.as.empty() || options.simulate || options.trace || options.sample)
    throw BadParam("foldline-ladder-cuda does not simulate; foldline-ladder does");
  if (!options.time_limit) options.time_limit = 60;
  if (!problem.needs_gpu) return nlohmann::ordered_json::object();
  const Gpu gpu = find_gpu(*options.time_limit);
  if (!gpu.missing.empty())
    throw std::runtime_error(problem.name + " runs on an NVIDIA GPU, and " + gpu.missing);
  return {{"gpu",
           {{"name", gpu.name},
            {"multiprocessors", gpu.multiprocessors},
            {"l2_bytes", gpu.l2_bytes},
            {"driver", gpu.driver}}}};
}

void print_trace() {}

void print(const Report& report) { print_times(report); }

std::vector<LineCounts> count_lines(Workbench&) {
  throw std::runtime_error(
      "lines are counted in the simulator: by foldline-ladder, not foldline-ladder-cuda");
}

/// One: it has the GPU to itself.
std::size_t rungs_at_once() { return 1; }

void forget(void*, std::size_t) {}

void need_real_device() {}

}  // namespace foldline::ladder
