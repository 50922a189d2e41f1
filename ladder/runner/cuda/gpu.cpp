#include "runner/cuda/gpu.hpp"

#include <foldline/device.hpp>
#include <nlohmann/json.hpp>

#include "runner/child.hpp"
#include "runner/device.hpp"

namespace foldline::ladder {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Gpu, missing, name, multiprocessors, l2_bytes, driver)

namespace {

Gpu first_gpu() {
  Gpu gpu;
  gpu.missing = why_no_gpu();
  if (!gpu.missing.empty()) return gpu;
  try {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "asking about the GPU");
    int driver = 0;
    check(cudaDriverGetVersion(&driver), "asking about the driver");
    gpu.name = properties.name;
    gpu.multiprocessors = properties.multiProcessorCount;
    gpu.l2_bytes = properties.l2CacheSize;
    gpu.driver = "for CUDA " + std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10);
  } catch (const std::exception& error) {
    gpu.missing = error.what();
  }
  return gpu;
}

}  // namespace

Gpu find_gpu(double time_limit) {
  const ChildResult result = run_in_child({[] { return nlohmann::json(first_gpu()).dump(); }, time_limit});
  if (result.end == ChildResult::End::returned) return nlohmann::json::parse(result.text).get<Gpu>();
  Gpu gpu;
  gpu.missing = "asking for one " + result.text;
  return gpu;
}

}  // namespace foldline::ladder
