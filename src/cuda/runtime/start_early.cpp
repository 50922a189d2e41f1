#include "cuda/runtime/start_early.hpp"

#include "cuda/runtime/check.hpp"
#include "cuda/runtime/kernel_limits.hpp"

namespace foldline::cuda {

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) == cudaSuccess) return status == cudaStreamCaptureStatusActive;
  cudaGetLastError();  // which would be taken for the caller's; what is queued will say it again
  return false;
}

void start_early(const void* kernel, const KernelStart& how, void** arguments, const char* doing) {
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (may_begin_early(kernel)) {
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
  // Not by <<<>>>: that leaves its error where one of the caller's may be already.
  check(cudaLaunchKernelExC(&config, kernel, arguments), doing);
}

}  // namespace foldline::cuda
