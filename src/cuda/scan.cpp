// The scan pattern on a GPU: where the data is, and one launch after another.
#include "backend.hpp"
#include "cuda/check.hpp"
#include "cuda/launch_scan.hpp"
#include "cuda/place.hpp"
#include "cuda/resources.hpp"
#include "cuda/scan_host_data.hpp"

namespace foldline::cuda {

void scan_on_device(const Scan& scan, ScanWorkspace* workspace, cudaStream_t stream, std::int64_t done) {
  Scan rest = scan;
  while (rest.x.size() > 0) {
    const ScanLaunch launch{workspace, stream, done};
    const std::int64_t count = is_floating(scan.out.type()) ? launch_scan_to_floats(rest, launch)
                                                            : launch_scan_to_integers(rest, launch);
    rest.x = rest.x.part(count, rest.x.size() - count);
    rest.out = rest.out.part(count, rest.out.size() - count);
    done += count;
  }
}

std::int64_t scan(const Scan& scan, const Plan& plan, void* user_stream, ScanState& state) {
  if (scan.x.size() == 0) return no_result;
  const bool integers = !is_floating(scan.out.type());
  // What a launch adds to 126 bits they hold. Of a larger sum only what wraps matters.
  if (integers && scan.overflow == Overflow::error && state.prefix.bound() > 126) return 0;
  const int device = plan.device.index;
  const DeviceGuard guard(device);
  const Place place = place_of(scan.x.data(), device);
  require_same_place(place, place_of(scan.out.data(), device));

  const Lease resources(device);
  resources->make_scan_workspace();
  if (place == Place::host) resources->make_staging();
  const auto stream = place == Place::host ? resources->stream : static_cast<cudaStream_t>(user_stream);
  ScanCarry* const carry = carry_in(resources->scan_workspace);
  const ScanCarry before = carry_of(state);
  check(cudaMemcpyAsync(carry, &before, sizeof before, cudaMemcpyHostToDevice, stream),
        "copying to the device");
  if (place == Place::host)
    scan_host_data(scan, *resources.operator->());
  else
    scan_on_device(scan, resources->scan_workspace, stream, 0);
  ScanCarry after;
  check(cudaMemcpyAsync(&after, carry, sizeof after, cudaMemcpyDeviceToHost, stream),
        "copying from the device");
  check(cudaStreamSynchronize(stream), "a scan");
  add_to_state(before, after, integers, state);
  return after.overflow;
}

}  // namespace foldline::cuda
