// Synchronous reductions on a GPU: finds out where the data is, and launches until all is reduced.
#include "contract/backend.hpp"
#include "cuda/reduce/add_to_moments.hpp"
#include "cuda/reduce/host_data.hpp"
#include "cuda/reduce/launch.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/runtime/properties.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

namespace {

MemorySpace memory_space_of_vectors(const Reduction& reduction, int device) {
  const MemorySpace x = memory_space_of(reduction.x.data(), device);
  if (reduction.two_vectors) require_same_memory_space(x, memory_space_of(reduction.y.data(), device));
  return x;
}

}  // namespace

void reduce(const Reduction& reduction, const Plan& plan, void* stream, Moments& moments) {
  if (reduction.x.size() == 0) return;
  const int device = plan.device.index;
  const DeviceGuard guard(device);
  if (memory_space_of_vectors(reduction, device) == MemorySpace::host)
    return reduce_host_data(reduction, device, moments);

  const Lease resources(device);
  const Launch launch{resources->workspace, resources->result, static_cast<cudaStream_t>(stream),
                      multiprocessors_of(device)};
  Reduction rest = reduction;
  while (rest.x.size() > 0) {
    const std::int64_t done = launch_reduce(rest, launch);
    check(cudaStreamSynchronize(launch.stream), "a reduction");
    add_to_moments(*launch.result, rest, done, moments);
    rest.x = rest.x.part(done, rest.x.size() - done);
    if (rest.two_vectors) rest.y = rest.y.part(done, rest.y.size() - done);
  }
}

}  // namespace foldline::cuda
