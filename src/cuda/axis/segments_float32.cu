// Reductions of segments of floats by sums in doubles.
#include "cuda/axis/segments_kernel.cuh"

namespace foldline::cuda {

void launch_segments_float32(const SegmentsTask& task, cudaStream_t stream) {
  launch_segments_of_type<float>(task, stream);
}

}  // namespace foldline::cuda
