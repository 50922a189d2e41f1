#include "machine.hpp"

#include <fmt/format.h>

#include "cccl.hpp"
#include "check.hpp"

namespace foldline::bench::cuda {
namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0), "asking about the GPU");
  return value;
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace

std::int64_t l2_bytes() { return attribute(cudaDevAttrL2CacheSize); }

nlohmann::ordered_json describe_gpu(const Cublas& cublas) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "asking about the GPU");
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver), "asking about the driver");
  check(cudaRuntimeGetVersion(&runtime), "asking about the runtime");
  auto releases = nlohmann::ordered_json::array();
  for (const Cccl<double>& cccl : all_cccl<double>()) releases.push_back(cccl.release);
  return {{"name", properties.name},
          {"compute_capability", fmt::format("{}.{}", properties.major, properties.minor)},
          {"multiprocessors", properties.multiProcessorCount},
          {"memory_bytes", properties.totalGlobalMem},
          {"l2_bytes", l2_bytes()},
          {"memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth)},
          {"peak_clock_kilohertz", attribute(cudaDevAttrClockRate)},
          {"peak_memory_clock_kilohertz", attribute(cudaDevAttrMemoryClockRate)},
          {"driver_for_cuda", version_text(driver)},
          {"cuda_runtime", version_text(runtime)},
          {"cccl", std::move(releases)},
          {"cublas", cublas.version()}};
}

}  // namespace foldline::bench::cuda
