// In place of src/cuda/ where the library is built without CUDA.
#include "contract/async_backend.hpp"
#include "contract/masks.hpp"
#include "contract/scan_axis.hpp"
#include "contract/segments.hpp"
#include "foldline/device.hpp"
#include "foldline/device_memory.hpp"
#include "foldline/device_workspace.hpp"
#include "foldline/error.hpp"
#include "foldline/gpu_bandwidth.hpp"

namespace foldline {

std::vector<GpuInfo> gpus() { return {}; }
std::string why_no_gpu() { return "this build of foldline has no CUDA"; }

namespace cuda {
void require_device(int index) {
  throw InvalidArgument("there is no device " + name_of(Device::cuda(index)) + ": " + why_no_gpu());
}
// Not reached: the call was refused, see api/dispatch.hpp.
void reduce(const Reduction&, const Plan&, void*, Moments&) { throw DeviceError(why_no_gpu()); }
std::int64_t scan(const Scan&, const Plan&, void*, ScanState&) { throw DeviceError(why_no_gpu()); }
void reduce_axis(const AxisReduction&, const Plan&, void*, RoundTo) { throw DeviceError(why_no_gpu()); }
void matrix_product(const MatrixProduct&, const Plan&, void*) { throw DeviceError(why_no_gpu()); }
void reduce_async(const Reduction&, const DeviceResult&, Overflow, const async::Queue&) {
  throw DeviceError(why_no_gpu());
}
void reduce_axis_async(const AxisReduction&, const async::Queue&) { throw DeviceError(why_no_gpu()); }
std::int64_t reduce_segments(const SegmentReduction&, const Plan&, void*, RoundSegment) {
  throw DeviceError(why_no_gpu());
}
std::int64_t reduce_by_key(const SegmentReduction&, const VectorView&, const Plan&, void*, RoundSegment) {
  throw DeviceError(why_no_gpu());
}
void reduce_segments_async(const SegmentReduction&, const async::Queue&) { throw DeviceError(why_no_gpu()); }
std::int64_t group_memory_bytes(std::int64_t, ElementType, std::int64_t, int) {
  throw DeviceError(why_no_gpu());
}
void reduce_by_key_async(SegmentReduction, const VectorView&, std::byte*, const async::Queue&) {
  throw DeviceError(why_no_gpu());
}
void scan_async(const Scan&, const ScanState&, Accuracy, const async::Queue&) {
  throw DeviceError(why_no_gpu());
}
void reduce_where(const MaskedReduction&, const Plan&, void*, RoundSegment) {
  throw DeviceError(why_no_gpu());
}
std::int64_t scan_axis(const ArrayScan&, const ScanState&, const Plan&, void*) {
  throw DeviceError(why_no_gpu());
}
void scan_axis_async(const ArrayScan&, const ScanState&, const async::Queue&) {
  throw DeviceError(why_no_gpu());
}
}  // namespace cuda

bool is_in_memory_of(const Device& device, const void*) {
  if (device.kind == Device::Kind::cuda) cuda::require_device(device.index);
  return false;
}
void copy_bytes(const void*, void*, std::int64_t, const Execution&) { throw DeviceError(why_no_gpu()); }
DeviceBuffer::DeviceBuffer(const Device& device, std::int64_t, Kind) { cuda::require_device(device.index); }
DeviceBuffer::~DeviceBuffer() = default;

GpuBandwidth measure_bandwidth(const Device& gpu) {
  cuda::require_device(gpu.index);
  return {};
}

// There is none: the one constructor throws.
struct DeviceWorkspace::State {
  Device device;
};
DeviceWorkspace::DeviceWorkspace(Device device, std::pmr::memory_resource*) {
  cuda::require_device(device.index);
}
DeviceWorkspace::DeviceWorkspace(DeviceWorkspace&&) noexcept = default;
DeviceWorkspace& DeviceWorkspace::operator=(DeviceWorkspace&&) noexcept = default;
DeviceWorkspace::~DeviceWorkspace() = default;
Device DeviceWorkspace::device() const { return state_->device; }
std::int64_t DeviceWorkspace::bytes() { return 0; }

}  // namespace foldline
