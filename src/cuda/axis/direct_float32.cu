// Reductions of floats along an axis and of segments by sums in doubles.
#include "cuda/axis/direct_launch.cuh"
#include "cuda/axis/segments_kernel.cuh"

namespace foldline::cuda {

void launch_direct_float32(const AxisTask& task, cudaStream_t stream) { launch_direct<float>(task, stream); }
void launch_segments_float32(const SegmentsTask& task, cudaStream_t stream) {
  launch_segments_of_type<float>(task, stream);
}

}  // namespace foldline::cuda
