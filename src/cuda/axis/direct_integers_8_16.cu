// Sums, means, variances and extrema of short integers along an axis.
#include "cuda/axis/direct_launch.cuh"

namespace foldline::cuda {

void launch_direct_int8(const AxisTask& task, cudaStream_t stream) {
  launch_direct<std::int8_t>(task, stream);
}
void launch_direct_int16(const AxisTask& task, cudaStream_t stream) {
  launch_direct<std::int16_t>(task, stream);
}

}  // namespace foldline::cuda
