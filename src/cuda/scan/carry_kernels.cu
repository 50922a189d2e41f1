// Kernels before and after asynchronous scans: they set the carry, and report overflow.
#include "cuda/scan/scan_job.cuh"

namespace foldline::cuda {

namespace {

__global__ void set_carry(const __grid_constant__ ScanCarry carry, ScanWorkspace* workspace) {
  workspace->carry = carry;
}

__global__ void report_first_overflow(ScanWorkspace* workspace, unsigned long long* status) {
  const long long first = min(workspace->overflow, static_cast<long long>(workspace->carry.overflow));
  workspace->overflow = no_result;
  if (first != no_result) atomicMax(status, ~static_cast<unsigned long long>(first));
}

}  // namespace

void launch_set_carry(const ScanCarry& carry, ScanWorkspace* workspace, cudaStream_t stream) {
  launch_kernel(set_carry, 1, 1, stream, carry, workspace);
}

void launch_report_overflow(ScanWorkspace* workspace, unsigned long long* status, cudaStream_t stream) {
  launch_kernel(report_first_overflow, 1, 1, stream, workspace, status);
}

}  // namespace foldline::cuda
