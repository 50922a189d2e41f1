// In place of src/cuda/ where the library is built without CUDA.
#include "backend.hpp"
#include "foldline/device.hpp"
#include "foldline/error.hpp"

namespace foldline {

std::vector<GpuInfo> gpus() { return {}; }
std::string why_no_gpu() { return "this build of foldline has no CUDA"; }

namespace cuda {
void require_device(int index) {
  throw InvalidArgument("there is no device " + name_of(Device::cuda(index)) + ": " + why_no_gpu());
}
// Not reached: a plan for a device was refused.
void reduce(const Reduction&, const Plan&, void*, Moments&) { throw DeviceError(why_no_gpu()); }
std::int64_t scan(const Scan&, const Plan&, void*, ScanState&) { throw DeviceError(why_no_gpu()); }
void reduce_axis(const AxisReduction&, const Plan&, void*, RoundTo) { throw DeviceError(why_no_gpu()); }
}  // namespace cuda

}  // namespace foldline
