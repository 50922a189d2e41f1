#include "cuda/runtime/programmatic_launch.hpp"

#include "cuda/runtime/check.hpp"
#include "cuda/runtime/kernel_attributes.hpp"

namespace foldline::cuda {

dim3 grid_of(std::int64_t blocks, const char* doing) {
  if (blocks > INT32_MAX)
    throw DeviceError(std::string("CUDA: ") + doing + " failed: it takes " + std::to_string(blocks) +
                      " blocks, and a launch has at most 2147483647; give parts");
  return {static_cast<unsigned>(blocks)};
}

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) == cudaSuccess) return status == cudaStreamCaptureStatusActive;
  cudaGetLastError();  // clears the error, which the caller would take for its own; queueing work reports it
                       // again
  return false;
}

void launch_programmatically(const void* kernel, const LaunchConfig& how, void** arguments,
                             const char* doing) {
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (allows_programmatic_launch(kernel)) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (how.cooperative) {
    attributes[count].id = cudaLaunchAttributeCooperative;
    attributes[count++].val.cooperative = 1;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = how.blocks;
  config.blockDim = how.threads;
  config.dynamicSmemBytes = how.shared_bytes;
  config.stream = how.stream;
  config.attrs = attributes;
  config.numAttrs = count;
  // not <<<>>>, which leaves its error code where the caller's previous error may be
  check(cudaLaunchKernelExC(&config, kernel, arguments), doing);
}

}  // namespace foldline::cuda
