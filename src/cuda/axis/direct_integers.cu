// Sums, means, variances and extrema of integers of 4 and 8 bytes along an axis.
#include "cuda/axis/direct_launch.cuh"

namespace foldline::cuda {

void launch_direct_int32(const AxisTask& task, cudaStream_t stream) {
  launch_direct<std::int32_t>(task, stream);
}
void launch_direct_int64(const AxisTask& task, cudaStream_t stream) {
  launch_direct<std::int64_t>(task, stream);
}

}  // namespace foldline::cuda
