// The reduce pattern on a GPU: where the data is, and one launch after another.
#include "backend.hpp"
#include "cuda/check.hpp"
#include "cuda/collect.hpp"
#include "cuda/host_data.hpp"
#include "cuda/launch.hpp"
#include "cuda/resources.hpp"

namespace foldline::cuda {

namespace {

enum class Place { host, device };

Place place_of(const VectorView& x, int device) {
  cudaPointerAttributes attributes;
  check(cudaPointerGetAttributes(&attributes, x.data()), "asking where a vector is");
  if (attributes.type == cudaMemoryTypeManaged) return Place::device;
  if (attributes.type != cudaMemoryTypeDevice) return Place::host;
  if (attributes.device != device)
    throw InvalidArgument("a vector is in the memory of " + name_of(Device::cuda(attributes.device)) +
                          ", but the context says " + name_of(Device::cuda(device)));
  return Place::device;
}

Place place_of(const Reduction& reduction, int device) {
  const Place x = place_of(reduction.x, device);
  if (reduction.two_vectors && place_of(reduction.y, device) != x)
    throw InvalidArgument(
        "one vector is in the memory of the device, the other in the host's; copy one of them");
  return x;
}

int multiprocessors_of(int device) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
        "asking for a device's properties");
  return count;
}

}  // namespace

void reduce(const Reduction& reduction, const Plan& plan, void* stream, Moments& moments) {
  if (reduction.x.size() == 0) return;
  const int device = plan.device.index;
  const DeviceGuard guard(device);
  if (place_of(reduction, device) == Place::host) return reduce_host_data(reduction, device, moments);

  const Lease resources(device);
  const Launch launch{resources->workspace, resources->result, static_cast<cudaStream_t>(stream),
                      multiprocessors_of(device)};
  Reduction rest = reduction;
  while (rest.x.size() > 0) {
    const std::int64_t done = launch_reduce(rest, launch);
    check(cudaStreamSynchronize(launch.stream), "a reduction");
    collect(*launch.result, rest, done, moments);
    rest.x = rest.x.part(done, rest.x.size() - done);
    if (rest.two_vectors) rest.y = rest.y.part(done, rest.y.size() - done);
  }
}

}  // namespace foldline::cuda
