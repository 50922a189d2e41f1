// Chooses between pipelines, single-wave scans and two-pass scans, and launches the first two.
#include <algorithm>

#include "cuda/runtime/kernel_attributes.hpp"
#include "cuda/runtime/programmatic_launch.hpp"
#include "cuda/scan/launch_scan.hpp"

namespace foldline::cuda {

std::int64_t elements_before_pipeline(const Scan& scan) {
  constexpr std::uintptr_t alignment = 16;
  const ElementType type = scan.x.type();
  const bool has_type = type == ElementType::float32 || type == ElementType::float64 ||
                        (!is_floating(type) && size_of(type) >= 4);
  const auto x = reinterpret_cast<std::uintptr_t>(scan.x.data());
  const auto out = reinterpret_cast<std::uintptr_t>(scan.out.data());
  const auto size = static_cast<std::uintptr_t>(size_of(type));
  if (!has_type || scan.out.type() != type || scan.x.stride() != 1 || scan.out.stride() != 1 ||
      x % size != 0 || x % alignment != out % alignment)
    return -1;
  return std::min(scan.x.size(), static_cast<std::int64_t>((alignment - x % alignment) % alignment / size));
}

namespace {
bool starts_from_zero(const PipelineLaunch& launch) {
  return launch.before != nullptr &&
         std::all_of(launch.before->row, launch.before->row + other_than_negative_zero_row,
                     [](std::int64_t sum) { return sum == 0; });
}
}  // namespace

bool is_fast(const PipelineLaunch& launch) { return launch.fast && starts_from_zero(launch); }

bool fits_single_wave(const Scan& scan, const PipelineLaunch& launch) {
  const ElementType type = scan.x.type();
  return launch.before != nullptr && (!is_floating(type) || starts_from_zero(launch)) &&
         scan.x.size() <= single_wave_bytes / static_cast<int>(size_of(type)) *
                              std::min(launch.multiprocessors, max_single_wave_blocks);
}

bool scans_all_elements(const Scan& scan, const PipelineLaunch& launch) {
  const ElementType type = scan.x.type();
  return !is_floating(type) || (type == ElementType::float32 && is_fast(launch)) ||
         fits_single_wave(scan, launch);
}

namespace {
template <ElementType Type>
std::int64_t launch_as(const Scan& scan, const PipelineLaunch& launch) {
  if (!fits_single_wave(scan, launch)) return launch_pipeline_as<Type>(scan, launch);
  launch_single_wave_as<Type>(scan, launch);
  return scan.x.size();
}
}  // namespace

std::int64_t launch_pipeline(const Scan& scan, const PipelineLaunch& launch) {
  switch (scan.x.type()) {
    case ElementType::float32:
      return launch_as<ElementType::float32>(scan, launch);
    case ElementType::float64:
      return launch_as<ElementType::float64>(scan, launch);
    case ElementType::int32:
      return launch_as<ElementType::int32>(scan, launch);
    case ElementType::uint32:
      return launch_as<ElementType::uint32>(scan, launch);
    case ElementType::int64:
      return launch_as<ElementType::int64>(scan, launch);
    default:
      return launch_as<ElementType::uint64>(scan, launch);
  }
}

void launch_scan_kernel(const void* kernel, int blocks, int threads, std::size_t memory, void** arguments,
                        cudaStream_t stream) {
  if (memory != 0) set_max_dynamic_shared_memory(kernel, static_cast<int>(memory));
  launch_programmatically(kernel,
                          {.blocks = dim3(static_cast<unsigned>(blocks)),
                           .threads = dim3(static_cast<unsigned>(threads)),
                           .shared_bytes = memory,
                           .stream = stream,
                           .cooperative = true},
                          arguments, "starting a scan");
}

}  // namespace foldline::cuda
