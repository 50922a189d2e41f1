// Kernels that are compiled while the command runs, by NVIDIA's NVRTC.
#pragma once

#include <string>
#include <vector>

namespace foldline::cli {

/// A header that the kernels' source may include.
struct DeviceHeader {
  const char *name, *text;
};
/// Headers of the library, embedded by embed_headers.cmake.
extern const std::vector<DeviceHeader> device_headers;

/// Machine code, and the names that the kernels have in it.
struct DeviceCode {
  std::string code;
  std::vector<std::string> names;
};

/// `kernels` are expressions such as "reduce<double>", `architecture` is "sm_90" or the like. Throws Error if
/// NVRTC is not there, or does not compile for that architecture.
DeviceCode compile_kernels(const std::string& source, const std::vector<std::string>& kernels,
                           const std::string& architecture);

}  // namespace foldline::cli
