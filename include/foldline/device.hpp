/// @file
/// Processors that calls can run on: the CPU, and NVIDIA GPUs where the library was built with CUDA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foldline/export.hpp"

namespace foldline {

/// The CPU, or one of the CUDA devices.
struct Device {
  /// What sort of processor it is.
  enum class Kind : std::uint8_t { cpu, cuda };
  Kind kind = Kind::cpu;  ///< the CPU unless said otherwise
  int index = 0;          ///< number of the CUDA device, as the CUDA runtime counts them; 0 for the CPU

  /// CUDA device number `index`.
  [[nodiscard]] static constexpr Device cuda(int index = 0) { return {Kind::cuda, index}; }
  /// Same processor.
  friend constexpr bool operator==(const Device&, const Device&) = default;
};

/// "cpu", "cuda:0", "cuda:1", ...
[[nodiscard]] FOLDLINE_API std::string name_of(const Device& device);

/// A GPU.
struct GpuInfo {
  Device device;            ///< what a Context takes
  std::string name;         ///< such as "NVIDIA H200"
  int major = 0;            ///< compute capability; foldline needs 7.5
  int minor = 0;            ///< the digit behind its point
  int multiprocessors = 0;  ///< streaming multiprocessors
  std::int64_t memory = 0;  ///< bytes
};

/// The GPUs that calls can run on; none if this build has no CUDA, or the machine no driver or no GPU: then
/// why_no_gpu() says so. O(number of devices); asks the driver each time.
[[nodiscard]] FOLDLINE_API std::vector<GpuInfo> gpus();

/// A clause such as "there is no NVIDIA driver"; empty if there is a GPU.
[[nodiscard]] FOLDLINE_API std::string why_no_gpu();

/// Throws InvalidArgument, with the reason, if there is no such device; the CPU is always there.
FOLDLINE_API void require_device(const Device& device);

}  // namespace foldline
