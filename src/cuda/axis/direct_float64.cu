// Reductions of doubles along an axis and of segments by sums in doubles.
#include "cuda/axis/direct_launch.cuh"
#include "cuda/axis/segments_kernel.cuh"

namespace foldline::cuda {

void launch_direct_float64(const AxisTask& task, cudaStream_t stream) { launch_direct<double>(task, stream); }
void launch_segments_float64(const SegmentsTask& task, cudaStream_t stream) {
  launch_segments_of_type<double>(task, stream);
}

}  // namespace foldline::cuda
