// Kernels before and after asynchronous scans: they set the carry, and report overflow.
#include "cuda/scan/scan_tiles.cuh"

namespace foldline::cuda {

namespace {

__global__ void begin(const __grid_constant__ ScanCarry carry, ScanWorkspace* workspace) {
  workspace->carry = carry;
}

__global__ void report(ScanWorkspace* workspace, unsigned long long* status) {
  const long long first = min(workspace->overflow, static_cast<long long>(workspace->carry.overflow));
  workspace->overflow = no_result;
  if (first != no_result) atomicMax(status, ~static_cast<unsigned long long>(first));
}

}  // namespace

void launch_begin(const ScanCarry& carry, ScanWorkspace* workspace, cudaStream_t stream) {
  start(begin, 1, 1, stream, carry, workspace);
}

void launch_report(ScanWorkspace* workspace, unsigned long long* status, cudaStream_t stream) {
  start(report, 1, 1, stream, workspace, status);
}

}  // namespace foldline::cuda
